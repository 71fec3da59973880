CREATE TABLE investigations (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  account text COLLATE "C" NOT NULL,
  status text NOT NULL,
  created_at timestamptz NOT NULL
);
