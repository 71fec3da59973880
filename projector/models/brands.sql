CREATE TABLE brand_facts (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL
);
-- One entry for each brand that a public signal names.
CREATE TABLE brand_stories (
  key text COLLATE "C" NOT NULL,
  brand text COLLATE "C" NOT NULL,
  name text NOT NULL,
  is_primary boolean NOT NULL,
  -- Found in a headline; the catalogue of that time lacks it.
  is_provisional boolean NOT NULL,
  published_at timestamptz NOT NULL,
  move text NOT NULL,
  theme text,
  theme_name text,
  cities text[] NOT NULL,
  outlets text[] NOT NULL,
  PRIMARY KEY (key, brand)
);
-- The last decision of an operator about a name that the catalogue lacks.
CREATE TABLE brand_decisions (
  key text COLLATE "C" NOT NULL,
  brand text COLLATE "C" NOT NULL,
  decision text NOT NULL,
  PRIMARY KEY (key)
);
