CREATE SCHEMA IF NOT EXISTS projector;
CREATE SCHEMA IF NOT EXISTS read;
-- A build is one set of tables of a model, in the schema of its name.
CREATE TABLE IF NOT EXISTS projector.builds (
  name text PRIMARY KEY,
  model text NOT NULL,
  version text NOT NULL,
  state text NOT NULL CHECK (state IN ('building', 'live', 'retired')),
  created_at timestamptz NOT NULL DEFAULT now(),
  live_at timestamptz
);
CREATE UNIQUE INDEX IF NOT EXISTS one_live_build ON projector.builds (model) WHERE state = 'live';
-- How far a build has folded an input: the position after which the store is read, or the next offset of a partition.
CREATE TABLE IF NOT EXISTS projector.checkpoints (
  build text NOT NULL REFERENCES projector.builds (name) ON DELETE CASCADE,
  input text NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (build, input)
);
-- The id of the record at the position, null where it is not known: a log that was restored has another one there.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'projector.checkpoints'::regclass AND attname = 'moved_at' AND NOT attisdropped) THEN
    ALTER TABLE projector.checkpoints ADD COLUMN IF NOT EXISTS record_id text,
      ADD COLUMN IF NOT EXISTS moved_at timestamptz NOT NULL DEFAULT now();
  END IF;
END $$;
-- The newest rebuild of each model: every process shows how far it is. Its process holds the lock of the build while it runs.
CREATE TABLE IF NOT EXISTS projector.rebuilds (
  model text PRIMARY KEY,
  build text NOT NULL,
  process text NOT NULL,
  phase text NOT NULL,
  share float8 NOT NULL,
  events float8 NOT NULL,
  per_second float8 NOT NULL,
  seconds_left float8,
  started_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  ended_at timestamptz,
  error text
);
-- Events that a model could not take. A skipped one no longer stops a rebuild.
CREATE TABLE IF NOT EXISTS projector.parked (
  model text NOT NULL,
  event_id text NOT NULL,
  type text NOT NULL,
  input text NOT NULL,
  event text NOT NULL,
  error text NOT NULL,
  parked_at timestamptz NOT NULL DEFAULT now(),
  skipped boolean NOT NULL DEFAULT false,
  PRIMARY KEY (model, event_id)
);
-- Which build could not take the event, and, once an operator dropped it, who did so and why.
-- Only where it is missing: ALTER TABLE waits for every transaction that uses the table.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'projector.parked'::regclass AND attname = 'dropped_at' AND NOT attisdropped) THEN
    ALTER TABLE projector.parked ADD COLUMN IF NOT EXISTS build text, ADD COLUMN IF NOT EXISTS dropped_by text,
      ADD COLUMN IF NOT EXISTS dropped_why text, ADD COLUMN IF NOT EXISTS dropped_at timestamptz;
  END IF;
END $$;
-- A rebuild waits for the event; one that the live build had parked before is left out by a rebuild too.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'projector.parked'::regclass AND attname = 'stops' AND NOT attisdropped) THEN
    ALTER TABLE projector.parked ADD COLUMN IF NOT EXISTS stops boolean NOT NULL DEFAULT false;
  END IF;
END $$;
