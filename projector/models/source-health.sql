CREATE TABLE sources (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  -- False for a source that is retired, or polled but not (yet) in the roster.
  listed boolean NOT NULL,
  outlet text,
  url text,
  kind text,
  paused boolean NOT NULL,
  cadence_seconds integer,
  last_polled_at timestamptz,
  last_success_at timestamptz,
  last_item_at timestamptz,
  consecutive_failures integer NOT NULL,
  last_error text,
  usual_gap_seconds double precision,
  -- JSON: new items, polls and failures by hour.
  hours text NOT NULL
);
