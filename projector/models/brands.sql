-- The last decision of an operator about a name that the catalogue lacks.
CREATE TABLE brand_decisions (
  -- Slug of the brand.
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  decision text NOT NULL
);
