CREATE TABLE signals (
  key text COLLATE "C" PRIMARY KEY,
  -- JSON object: what the columns and the item document do not contain.
  row text NOT NULL,
  slug text NOT NULL,
  status text NOT NULL,
  published_at timestamptz NOT NULL,
  move text NOT NULL,
  theme text,
  cities text[] NOT NULL,
  outlets integer NOT NULL,
  -- 0 to 100; see signal/salience.ts.
  salience double precision NOT NULL,
  merged_into text COLLATE "C",
  -- The earlier signal that it takes a step further.
  follows text COLLATE "C",
  -- The SignalItem that lists serve, as JSON.
  item_document text NOT NULL
-- Most rows have 1 to 2 KB. Stored whole in their page they are neither compressed, which took most of a rebuild's time,
-- nor fetched from elsewhere.
) WITH (toast_tuple_target = 8160);
-- Nothing is searched by them, so the planner need not read them.
ALTER TABLE signals ALTER row SET STATISTICS 0, ALTER item_document SET STATISTICS 0;
-- One entry for each brand of a public signal, so that a brand's list is read off an index.
CREATE TABLE signal_brands (
  key text COLLATE "C" NOT NULL,
  brand text COLLATE "C" NOT NULL,
  name text NOT NULL,
  is_primary boolean NOT NULL,
  -- Found in a headline; the catalogue of that time lacks it.
  is_provisional boolean NOT NULL,
  published_at timestamptz NOT NULL,
  -- Date of the first report.
  reported_at timestamptz NOT NULL,
  move text NOT NULL,
  theme text,
  theme_name text,
  cities text[] NOT NULL,
  outlets text[] NOT NULL
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
-- What a follow would wait for, and when it came: one entry for each target of a public signal.
CREATE TABLE signal_targets (
  key text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL
);
