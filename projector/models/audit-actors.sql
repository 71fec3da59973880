CREATE TABLE audit_actors (
  -- The account of the address.
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  name text NOT NULL
);
