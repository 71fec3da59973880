CREATE TABLE deals_reported (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL
);
-- The deal of each public signal that reports one.
CREATE TABLE deals (
  key text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  slug text NOT NULL,
  headline text NOT NULL,
  published_at timestamptz NOT NULL,
  outlet text,
  source_url text,
  type text NOT NULL,
  amount text,
  target text
);
