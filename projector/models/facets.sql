CREATE TABLE facet_rows (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL
);
-- What public signals are filtered, counted and sorted by, in rows so narrow that counting thousands of them reads few pages.
CREATE TABLE signal_facets (
  key text COLLATE "C" NOT NULL,
  published_at timestamptz NOT NULL,
  -- Date of the first report, by which pages and feeds are sorted.
  reported_at timestamptz NOT NULL,
  outlets integer NOT NULL,
  -- 0 to 100; see signal/salience.ts.
  salience double precision NOT NULL,
  -- A facet and its value each, such as `city:Pune`; a brand that it is about also as `about:` and its slug.
  tags text[] COLLATE "C" NOT NULL
);
-- The planner knows how common the frequent values are: by that it walks from the newest, or fetches the rare ones.
ALTER TABLE signal_facets ALTER tags SET STATISTICS 1000;
