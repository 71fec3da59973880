-- Answers to POST requests that were sent with an `Idempotency-Key`, kept for 24 hours. The answer is encrypted with a key
-- made of the caller's credential and the Idempotency-Key, neither of which is stored: an answer may hold a new API key.
CREATE TABLE access.idempotent_request (
  -- SHA-256 of the account or address, the route and the Idempotency-Key.
  scope text COLLATE "C" PRIMARY KEY,
  -- Null for an anonymous caller.
  account text COLLATE "C",
  -- SHA-256 of the address and the body.
  request_hash text NOT NULL,
  -- Of the request that is at work or has answered: one that finishes after its claim expired changes nothing.
  claim uuid NOT NULL,
  -- Null while the first request is at work.
  answer bytea,
  expires_at timestamptz NOT NULL
);
CREATE INDEX idempotent_request_expired ON access.idempotent_request (expires_at);
CREATE INDEX idempotent_request_account ON access.idempotent_request (account);
