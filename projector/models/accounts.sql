CREATE TABLE accounts (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  name text,
  plan text NOT NULL,
  opened_at timestamptz,
  application_id text COLLATE "C",
  application_status text
);
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
