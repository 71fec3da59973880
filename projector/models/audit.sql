CREATE TABLE audit (
  -- The id of the event.
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  at timestamptz NOT NULL,
  -- The account of an e-mail address, whose name is in audit_actors; else the name itself.
  actor text NOT NULL,
  action text NOT NULL,
  subject text NOT NULL,
  detail text,
  why text
);
