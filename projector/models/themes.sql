CREATE TABLE theme_facts (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL
);
-- The theme of each public signal that has one.
CREATE TABLE theme_stories (
  key text COLLATE "C" PRIMARY KEY,
  theme text COLLATE "C" NOT NULL,
  name text NOT NULL,
  published_at timestamptz NOT NULL,
  move text NOT NULL,
  brands text[] NOT NULL
);
