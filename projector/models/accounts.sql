CREATE TABLE accounts (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  name text,
  plan text NOT NULL,
  opened_at timestamptz,
  application_id text COLLATE "C",
  application_status text
);
CREATE INDEX accounts_application ON accounts (application_id);
CREATE INDEX accounts_status ON accounts (application_status) WHERE application_status IS NOT NULL;
-- A row for each key, with the plan of its account: one look-up says all that a call needs.
CREATE TABLE api_keys (
  key text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  plan text NOT NULL,
  scopes text[] NOT NULL,
  expires_at timestamptz,
  revoked boolean NOT NULL,
  PRIMARY KEY (key, id)
);
CREATE INDEX api_keys_hash ON api_keys (hash);
CREATE INDEX api_keys_id ON api_keys (id);
