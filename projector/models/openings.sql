CREATE TABLE openings_reported (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL
);
-- One entry for each opening, planned opening and closure that a public signal reports.
CREATE TABLE openings (
  key text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  slug text NOT NULL,
  headline text NOT NULL,
  published_at timestamptz NOT NULL,
  -- The report that states it; null where it is the one that the signal cites.
  outlet text,
  source_url text,
  brand text NOT NULL,
  brand_slug text COLLATE "C",
  city text COLLATE "C",
  mall text COLLATE "C",
  locality text,
  stores bigint,
  status text NOT NULL,
  -- A day, YYYY-MM-DD.
  date text
);
