-- One entry for each correction that readers are told of: the event, and the signal that it corrects.
CREATE TABLE corrections (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  signal text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL
);
