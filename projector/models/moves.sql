CREATE TABLE moves_recorded (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL
);
-- One entry for each catalogue brand that a public signal is about.
CREATE TABLE moves (
  key text COLLATE "C" NOT NULL,
  brand text COLLATE "C" NOT NULL,
  move text NOT NULL,
  published_at timestamptz NOT NULL,
  -- JSON: what its text states, as moves are compared by it.
  facts text NOT NULL
);
-- The signals from which the analysis of a signal was computed.
CREATE TABLE moves_cited (
  key text COLLATE "C" NOT NULL,
  cited text COLLATE "C" NOT NULL
);
