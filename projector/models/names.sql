CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;
CREATE TABLE names (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  type text NOT NULL,
  slug text COLLATE "C" NOT NULL,
  name text NOT NULL,
  -- Lower case without accents.
  folded text NOT NULL
);
