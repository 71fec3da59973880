-- Who is signed in on the pages. A session is known by the SHA-256 of the token in its cookie: whoever reads this table
-- can sign in as nobody.
CREATE TABLE access.web_session (
  token_hash text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL,
  -- The name of the account: the `sub` that the issuer gave.
  name text NOT NULL,
  -- As far as the issuer vouches for it.
  email text,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX web_session_expired ON access.web_session (expires_at);

-- Sign-ins that were begun and not finished yet, each bound to the browser that began it by a cookie, and good for once.
CREATE TABLE access.web_sign_in (
  token_hash text COLLATE "C" PRIMARY KEY,
  state text NOT NULL,
  nonce text NOT NULL,
  -- Of PKCE (RFC 7636).
  verifier text NOT NULL,
  -- The page that asked for it: a path of ours.
  returns_to text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX web_sign_in_expired ON access.web_sign_in (expires_at);

-- Calls and questions of an account by the day in India, for people to look at. Quotas do not count by it.
CREATE TABLE access.usage_day (
  account text COLLATE "C" NOT NULL,
  day date NOT NULL,
  calls integer NOT NULL,
  questions integer NOT NULL,
  PRIMARY KEY (account, day)
);
CREATE INDEX usage_day_old ON access.usage_day (day);
