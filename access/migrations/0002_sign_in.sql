-- What the embedded issuer of sign-in tokens keeps: sessions, codes, grants, clients. Sign-in is no event: it passes.
CREATE TABLE access.sign_in (
  -- What it is, in the words of the issuer: 'Session', 'AuthorizationCode', 'Client', …
  kind text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  payload jsonb NOT NULL,
  -- Sessions are also found by this.
  uid text COLLATE "C",
  -- Codes and tokens of one grant are revoked together.
  grant_id text COLLATE "C",
  consumed_at timestamptz,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX sign_in_uid ON access.sign_in (uid) WHERE uid IS NOT NULL;
CREATE INDEX sign_in_grant ON access.sign_in (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX sign_in_expired ON access.sign_in (expires_at);

-- The one row of what the issuer signs with; made at the first start and the same for all processes from then on.
CREATE TABLE access.signing (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  -- A private key as JWK (RFC 7517).
  key jsonb NOT NULL,
  -- Signs the cookies of the sign-in pages.
  cookie_secret text NOT NULL,
  made_at timestamptz NOT NULL DEFAULT now()
);
