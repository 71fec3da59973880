-- Events in partitions by position, and so by time: an old one is archived and dropped whole. See log/postgres/README.md.

-- Appends and reads wait behind these locks: `migrateLog` tries again rather than hold them up behind a long transaction.
SET LOCAL lock_timeout = '2s';

-- Positions of a partition, some 9 GB of events. An append looks into every partition, so there should be tens, not thousands.
CREATE FUNCTION log.event_partition_size() RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT 5000000::bigint';

CREATE TABLE log.event_partition (
  first_position bigint PRIMARY KEY,
  -- The first position of the next partition.
  end_position bigint NOT NULL UNIQUE CHECK (end_position > first_position),
  -- The streams whose events are archived, by the beginnings of their names; null before archiving begins.
  prefixes text[],
  -- Set by the transaction that removes the archived events.
  archived_at timestamptz
);
-- Objects of the archive. Those of a partition that is not archived yet are not read.
CREATE TABLE log.archived_object (
  -- Every position of the partition belongs to one object, up to the last event that is archived.
  first_position bigint PRIMARY KEY,
  last_position bigint NOT NULL UNIQUE,
  partition bigint NOT NULL REFERENCES log.event_partition,
  name text NOT NULL,
  -- SHA-256 of its text.
  hash text NOT NULL,
  events integer NOT NULL,
  bytes bigint NOT NULL
);
CREATE INDEX archived_object_partition ON log.archived_object (partition);
-- Which events of a stream are in an object: the one with ids[1] has first_revision and positions[1], and so on.
CREATE TABLE log.archived_stream (
  stream text COLLATE "C" NOT NULL,
  first_revision integer NOT NULL,
  object bigint NOT NULL REFERENCES log.archived_object,
  ids uuid[] NOT NULL,
  positions bigint[] NOT NULL,
  PRIMARY KEY (stream, first_revision)
);

-- Archived events of streams, as readers and append see them.
CREATE VIEW log.archived_stream_object AS
  SELECT s.*, s.first_revision + cardinality(s.ids) - 1 AS last_revision, o.name, o.hash
    FROM log.archived_stream s
    JOIN log.archived_object o ON o.first_position = s.object
    JOIN log.event_partition p ON p.first_position = o.partition
   WHERE p.archived_at IS NOT NULL;

CREATE FUNCTION log.event_partition_name(of_first_position bigint) RETURNS text IMMUTABLE LANGUAGE sql AS
  $$SELECT 'event_' || lpad(of_first_position::text, 12, '0')$$;

-- Creates the table of a partition, not attached. The constraint spares ATTACH PARTITION reading it. A unique index of the
-- parent would have to contain the position, so each partition has its own, and append() guards revisions across them.
CREATE FUNCTION log.create_event_table(name text, first_position bigint, end_position bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format(
    'CREATE TABLE log.%I (LIKE log.event, PRIMARY KEY (position), UNIQUE (stream, revision),
       CHECK (position >= %L::bigint AND position < %L::bigint)) WITH (toast_tuple_target = 8160)',
    name, first_position, end_position);
  EXECUTE format('CREATE INDEX ON log.%I (id)', name);
END
$$;

CREATE FUNCTION log.attach_event_table(name text, first_position bigint, end_position bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE log.event ATTACH PARTITION log.%I FOR VALUES FROM (%L) TO (%L)',
    name, first_position, end_position);
END
$$;

-- Creates what is missing of the partitions up to a position, and one more. That one is ahead of need: when somebody
-- analyses the table just now, a later append creates it.
CREATE FUNCTION log.extend_event_partitions(upto bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  size CONSTANT bigint := log.event_partition_size();
  ends bigint;
BEGIN
  SELECT max(p.end_position) INTO ends FROM log.event_partition p;
  WHILE ends <= upto + size LOOP
    IF ends > upto THEN
      BEGIN
        LOCK TABLE log.event IN SHARE UPDATE EXCLUSIVE MODE NOWAIT;
      EXCEPTION WHEN lock_not_available THEN
        RETURN;
      END;
    END IF;
    PERFORM log.create_event_table(log.event_partition_name(ends), ends, ends + size);
    PERFORM log.attach_event_table(log.event_partition_name(ends), ends, ends + size);
    INSERT INTO log.event_partition (first_position, end_position) VALUES (ends, ends + size);
    ends := ends + size;
  END LOOP;
END
$$;

-- The existing table becomes the first partition, which ends half a partition after its last event at least. It is read once.
DO $$
DECLARE
  size CONSTANT bigint := log.event_partition_size();
  ends CONSTANT bigint := (((SELECT last_value FROM log.event_position) + size / 2) / size + 1) * size;
  name CONSTANT text := log.event_partition_name(0);
BEGIN
  EXECUTE format('ALTER TABLE log.event ADD CONSTRAINT event_range
    CHECK (position >= 0::bigint AND position < %L::bigint)', ends);
  EXECUTE format('ALTER TABLE log.event RENAME TO %I', name);
  EXECUTE format('ALTER INDEX log.event_pkey RENAME TO %I', name || '_pkey');
  EXECUTE format('CREATE TABLE log.event (LIKE log.%I, PRIMARY KEY (position)) PARTITION BY RANGE (position)', name);
  PERFORM log.attach_event_table(name, 0, ends);
  INSERT INTO log.event_partition (first_position, end_position) VALUES (0, ends);
END
$$;

-- As before (see 0007), over partitions and the archive: a stream has the revision of its last event in PostgreSQL, or, when
-- all of them are archived, in the archive, and contains an id when either has it.
CREATE OR REPLACE FUNCTION log.append_events(
  into_stream text, ids uuid[], bodies text[], expected integer,
  OUT outcome text, OUT last_revision integer, OUT last_position bigint, OUT known_ids uuid[]
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  current integer;
  current_position bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(7165310201);
  known_ids := '{}';
  SELECT e.revision, e.position INTO current, current_position
    FROM log.event e WHERE e.stream = into_stream ORDER BY e.revision DESC LIMIT 1;
  IF current IS NULL THEN
    SELECT a.last_revision, a.positions[cardinality(a.positions)] INTO current, current_position
      FROM log.archived_stream_object a WHERE a.stream = into_stream ORDER BY a.first_revision DESC LIMIT 1;
  END IF;
  IF current IS NOT NULL AND cardinality(ids) > 0 THEN
    SELECT coalesce(array_agg(k.id), '{}'), max(k.revision), max(k.position)
      INTO known_ids, last_revision, last_position
      FROM (
        SELECT e.id, e.revision, e.position FROM log.event e WHERE e.id = ANY (ids) AND e.stream = into_stream
        UNION ALL
        SELECT u.id, a.first_revision + u.nth::integer - 1, u.position
          FROM log.archived_stream_object a,
               unnest(a.ids, a.positions) WITH ORDINALITY u(id, position, nth)
         WHERE a.stream = into_stream AND u.id = ANY (append_events.ids)
      ) k;
    IF cardinality(known_ids) = cardinality(ids) THEN
      outcome := 'appended';
      RETURN;
    END IF;
  END IF;
  current := coalesce(current, -1);
  IF expected <> -2 AND expected <> current THEN
    outcome := 'conflict';
    last_revision := current;
    RETURN;
  END IF;
  IF cardinality(ids) = 0 THEN
    outcome := 'appended';
    last_revision := current;
    last_position := coalesce(current_position, 0);
    RETURN;
  END IF;
  IF cardinality(known_ids) > 0 THEN
    SELECT array_agg(u.id ORDER BY u.place), array_agg(u.body ORDER BY u.place) INTO ids, bodies
      FROM unnest(ids, bodies) WITH ORDINALITY u(id, body, place)
     WHERE u.id <> ALL (known_ids);
  END IF;
  PERFORM log.extend_event_partitions((SELECT s.last_value FROM log.event_position s) + cardinality(ids));
  INSERT INTO log.event (position, stream, revision, id, body)
    SELECT nextval('log.event_position'), into_stream, current + u.place, u.id, u.body::json
      FROM unnest(ids, bodies) WITH ORDINALITY u(id, body, place);
  outcome := 'appended';
  last_revision := current + cardinality(ids);
  last_position := currval('log.event_position');
  PERFORM pg_notify('log_event', '');
END
$$;

-- For processes of releases before 0007, whose append knew neither partitions' limits nor the archive.
CREATE OR REPLACE FUNCTION log.append(
  into_stream text, ids uuid[], bodies text[], expected integer,
  OUT outcome text, OUT last_revision integer, OUT last_position bigint
) LANGUAGE sql AS $$
  SELECT a.outcome, a.last_revision, a.last_position FROM log.append_events(into_stream, ids, bodies, expected) a
$$;
