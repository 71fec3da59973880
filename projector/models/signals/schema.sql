CREATE TABLE signals (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  slug text NOT NULL,
  status text NOT NULL,
  published_at timestamptz NOT NULL,
  move text NOT NULL,
  theme text,
  primary_brands text[] NOT NULL,
  brands text[] NOT NULL,
  cities text[] NOT NULL,
  outlets integer NOT NULL,
  merged_into text,
  item_document text NOT NULL,
  -- What the detail has besides the item: a JSON object.
  detail_parts text NOT NULL
);
-- One entry for each brand of a public signal, so that a brand's list is read off an index.
CREATE TABLE signal_brands (
  key text COLLATE "C" NOT NULL,
  brand text COLLATE "C" NOT NULL,
  is_primary boolean NOT NULL,
  published_at timestamptz NOT NULL,
  move text NOT NULL,
  theme text,
  PRIMARY KEY (key, brand)
);
CREATE INDEX signals_slug ON signals (slug);
CREATE INDEX signals_newest ON signals (published_at, key) WHERE status = 'public';
CREATE INDEX signals_of_move ON signals (move, published_at, key) WHERE status = 'public';
CREATE INDEX signals_of_theme ON signals (theme, published_at, key) WHERE status = 'public' AND theme IS NOT NULL;
CREATE INDEX signal_brands_newest ON signal_brands (brand, published_at, key) INCLUDE (is_primary, move, theme);
CREATE INDEX signal_brands_about ON signal_brands (brand, published_at, key) INCLUDE (move, theme) WHERE is_primary;
