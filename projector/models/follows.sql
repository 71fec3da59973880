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
