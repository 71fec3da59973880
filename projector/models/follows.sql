CREATE TABLE follows (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  account text COLLATE "C" NOT NULL,
  type text NOT NULL,
  slug text NOT NULL,
  name text NOT NULL,
  target text COLLATE "C" NOT NULL,
  added_at timestamptz NOT NULL,
  removed_at timestamptz
);
CREATE INDEX follows_of_account ON follows (account, added_at);
CREATE INDEX follows_of_target ON follows (target) WHERE removed_at IS NULL;
