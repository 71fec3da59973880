CREATE TABLE appointments_reported (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL
);
-- One entry for each person who joined, left or was promoted according to a public signal.
CREATE TABLE appointments (
  key text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  slug text NOT NULL,
  headline text NOT NULL,
  published_at timestamptz NOT NULL,
  -- The report that states it; null where it is the one that the signal cites.
  outlet text,
  source_url text,
  person text NOT NULL,
  role text,
  seats text[] NOT NULL,
  lenses text[] NOT NULL,
  company text,
  company_slug text COLLATE "C",
  direction text NOT NULL,
  comes_from text,
  goes_to text,
  -- Days, YYYY-MM-DD: as reported, and the one from which a seat counts as left.
  effective text,
  since text NOT NULL
);
