CREATE TABLE team_lists (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  title text NOT NULL,
  -- SHA-256 of the token of its invitation; null without one.
  invite_hash text COLLATE "C"
);
-- Those who left too: their names are on what they added.
CREATE TABLE team_list_people (
  key text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  account text COLLATE "C" NOT NULL,
  name text NOT NULL,
  is_member boolean NOT NULL,
  PRIMARY KEY (key, number)
);
CREATE TABLE team_list_stories (
  key text COLLATE "C" NOT NULL,
  signal_id text COLLATE "C" NOT NULL,
  -- What was added later has a larger one.
  place integer NOT NULL,
  -- Number of the person who added it.
  person integer NOT NULL,
  added_at timestamptz NOT NULL,
  PRIMARY KEY (key, signal_id)
);
