-- Calls of a key by the day in India and the last of them, for people to look at. Quotas do not count by it.
CREATE TABLE access.usage_key_day (
  key_id text COLLATE "C" NOT NULL,
  day date NOT NULL,
  calls integer NOT NULL,
  last_at timestamptz NOT NULL,
  PRIMARY KEY (key_id, day)
);
CREATE INDEX usage_key_day_old ON access.usage_key_day (day);
