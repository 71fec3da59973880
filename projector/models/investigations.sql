CREATE TABLE investigations (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  account text COLLATE "C" NOT NULL,
  status text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX investigations_of_account ON investigations (account, created_at);
CREATE INDEX investigations_queued ON investigations (created_at) WHERE status = 'queued';
