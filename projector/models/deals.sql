CREATE TABLE deals_reported (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL
);
-- One entry for each deal that a public signal reports.
CREATE TABLE deals (
  key text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  slug text NOT NULL,
  headline text NOT NULL,
  published_at timestamptz NOT NULL,
  -- The report that states it; null where it is the one that the signal cites.
  outlet text,
  source_url text,
  type text COLLATE "C" NOT NULL,
  -- Null where the headline does not say how far it is.
  status text COLLATE "C",
  -- As reported: ₹230 Cr.
  amount text,
  target text,
  target_slug text COLLATE "C",
  buyers text[] NOT NULL,
  -- Slugs of the brands that the report is about.
  brands text[] NOT NULL
);
