CREATE TABLE oracle_items (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  -- When a poll first found it; for the backlog of a first poll, its own date.
  seen_at timestamptz NOT NULL
);
