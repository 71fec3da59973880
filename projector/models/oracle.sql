CREATE TABLE oracle (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL
);
