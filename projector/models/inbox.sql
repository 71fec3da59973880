CREATE TABLE inbox_signals (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  -- The earlier signal that this one follows up.
  follows text COLLATE "C"
);
-- What a follow of it would wait for, and when it came: one entry for each target of a public signal.
CREATE TABLE signal_targets (
  key text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (key, target)
);
