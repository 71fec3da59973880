CREATE TABLE brief_subscribers (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  email text NOT NULL,
  scope text NOT NULL,
  token text COLLATE "C" NOT NULL,
  since timestamptz NOT NULL,
  ended_at timestamptz
);
