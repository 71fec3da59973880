CREATE TABLE results_reported (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL
);
-- One entry for each figure of a company that a public signal reports.
CREATE TABLE results (
  key text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  slug text NOT NULL,
  headline text NOT NULL,
  published_at timestamptz NOT NULL,
  -- The report that states it; null where it is the one that the signal cites.
  outlet text,
  source_url text,
  company text NOT NULL,
  company_slug text COLLATE "C",
  -- As reported: Q2 FY27, H1 FY27, FY26.
  period text,
  metric text NOT NULL,
  value text,
  growth_pct double precision
);
