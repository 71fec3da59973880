CREATE TABLE oracle_days (
  -- The day in India, YYYY-MM-DD.
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  checked integer NOT NULL,
  missed integer NOT NULL
);
