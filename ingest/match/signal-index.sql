-- The matcher's index of all signals: by what a report of the same event is found. It is made from the event store, and
-- made again from it when it is lost.
CREATE SCHEMA IF NOT EXISTS SCHEMA_OF_VERSION;
CREATE TABLE IF NOT EXISTS SCHEMA_OF_VERSION.signal (
  -- Position of its first event in the event store.
  position bigint PRIMARY KEY,
  id text NOT NULL UNIQUE,
  -- Days since 1970 at which the service published it.
  day double precision NOT NULL,
  resurfaced boolean NOT NULL,
  merged_into text,
  -- Features of its first reports, as JSON.
  reports text NOT NULL,
  -- Slugs of its brands: who owns them is looked up in the catalogue on reading.
  brands text[] NOT NULL,
  -- Items and addresses of its reports.
  names text[] NOT NULL
);
-- By week and rare word, figure or brand, or by a pair of rare words; none for a signal that was merged into another.
CREATE TABLE IF NOT EXISTS SCHEMA_OF_VERSION.signal_key (
  key integer NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (key, position)
);
CREATE INDEX IF NOT EXISTS signal_key_position ON SCHEMA_OF_VERSION.signal_key (position);
-- By the hash of an item or address, the signal that was the last to report it.
CREATE TABLE IF NOT EXISTS SCHEMA_OF_VERSION.signal_name (
  hash bigint PRIMARY KEY,
  position bigint NOT NULL
);
-- Up to where the event store is in the index.
CREATE TABLE IF NOT EXISTS SCHEMA_OF_VERSION.checkpoint (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  position bigint NOT NULL
);
