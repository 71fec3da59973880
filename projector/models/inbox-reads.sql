-- One entry for each item that an account has read, and one for each time that it marked all up to an item as read.
CREATE TABLE inbox_reads (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  account text COLLATE "C" NOT NULL,
  signal_id text COLLATE "C" NOT NULL,
  read_at timestamptz NOT NULL,
  -- When the item was delivered up to which everything is read; null for a single item.
  up_to timestamptz
);
