-- Keys that personal data in the event store is encrypted with, one for each account. They are no events on purpose:
-- destroying the row of an account makes its personal data unreadable in the log and in all copies of it.
CREATE TABLE access.personal_key (
  id text COLLATE "C" PRIMARY KEY,
  account text COLLATE "C" NOT NULL UNIQUE,
  secret bytea NOT NULL CHECK (length(secret) = 32),
  created_at timestamptz NOT NULL DEFAULT now()
);
