CREATE TABLE sessions (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  slug text COLLATE "C" NOT NULL,
  account text COLLATE "C",
  is_public boolean NOT NULL,
  turns integer NOT NULL
);
CREATE TABLE session_turns (
  key text COLLATE "C" NOT NULL,
  ordinal integer NOT NULL,
  turn text NOT NULL,
  PRIMARY KEY (key, ordinal)
);
