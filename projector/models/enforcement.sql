CREATE TABLE enforcement_reported (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL
);
-- One entry for each public signal of rules: what a regulator or a court did, or was asked to do.
CREATE TABLE enforcement (
  key text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  slug text NOT NULL,
  headline text NOT NULL,
  published_at timestamptz NOT NULL,
  -- The report that states it; null where it is the one that the signal cites.
  outlet text,
  source_url text,
  -- Null where the text names none.
  regulator text,
  firm text,
  firm_slug text COLLATE "C",
  action text COLLATE "C" NOT NULL,
  -- Null where the headline does not say how far it is.
  status text COLLATE "C",
  -- Slugs of the brands that the report is about.
  brands text[] NOT NULL
);
