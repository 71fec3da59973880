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
  merged_into text,
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
  is_primary boolean NOT NULL,
  published_at timestamptz NOT NULL,
  move text NOT NULL,
  theme text
);
-- Apart from the table, so that a rebuild makes it after the rows.
ALTER TABLE signal_brands ADD PRIMARY KEY (key, brand);
CREATE INDEX signals_slug ON signals (slug);
CREATE INDEX signals_newest ON signals (published_at, key) WHERE status = 'public';
CREATE INDEX signals_of_move ON signals (move, published_at, key) WHERE status = 'public';
CREATE INDEX signals_of_theme ON signals (theme, published_at, key) WHERE status = 'public' AND theme IS NOT NULL;
CREATE INDEX signal_brands_newest ON signal_brands (brand, published_at, key) INCLUDE (is_primary, move, theme);
CREATE INDEX signal_brands_about ON signal_brands (brand, published_at, key) INCLUDE (move, theme) WHERE is_primary;
