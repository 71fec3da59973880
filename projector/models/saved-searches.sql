CREATE TABLE saved_searches (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  account text COLLATE "C" NOT NULL,
  name text NOT NULL,
  -- The filter as the parameters of an address.
  query text NOT NULL,
  -- SHA-256 of the token of its feed; null without a feed.
  token_hash text COLLATE "C",
  saved_at timestamptz NOT NULL,
  read_until timestamptz NOT NULL,
  -- How often it is mailed, and to whom; null before its first digest. One that ended is kept.
  digest text,
  digest_email text,
  digest_token text COLLATE "C",
  -- What was published before is not mailed.
  digest_since timestamptz,
  -- Null while it is in force.
  digest_ended_by text
);
