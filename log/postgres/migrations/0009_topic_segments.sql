-- Messages of topics in segments: tables that retention drops whole. See log/postgres/README.md.

-- Publishers and consumers wait behind these locks: `migrateLog` tries again rather than hold them up behind a long
-- transaction. Whoever publishes holds the lock of its topic, and none of the table before it.
SET LOCAL lock_timeout = '2s';
SELECT pg_advisory_xact_lock(716531, hashtext(t.name)) FROM log.topic t ORDER BY t.name;

-- The number of a topic is that of its segments; 0 is that of the table of earlier releases, which all topics share.
ALTER TABLE log.topic ADD COLUMN number integer GENERATED ALWAYS AS IDENTITY UNIQUE;
-- The segment that is written.
ALTER TABLE log.topic ADD COLUMN segment integer NOT NULL DEFAULT 0;

CREATE TABLE log.topic_segment (
  topic_number integer NOT NULL,
  segment integer NOT NULL,
  opened_at timestamptz NOT NULL,
  -- Null for the one that is written.
  closed_at timestamptz,
  -- For each partition, the offset behind its last message; set with closed_at.
  ends bigint[],
  -- Its messages count as removed, and the next trim drops the table if this one does not come to it.
  dropping boolean NOT NULL DEFAULT false,
  PRIMARY KEY (topic_number, segment)
);

CREATE FUNCTION log.topic_segment_name(of_topic integer, of_segment integer) RETURNS text IMMUTABLE LANGUAGE sql AS
  $$SELECT 'topic_message_' || of_topic || '_' || of_segment$$;

-- An existing table becomes the segment 0 of all topics. It is read once.
ALTER TABLE log.topic_message
  ADD COLUMN topic_number integer NOT NULL DEFAULT 0,
  ADD COLUMN segment integer NOT NULL DEFAULT 0;
ALTER TABLE log.topic_message RENAME TO topic_message_0_0;
-- A unique index of the whole would have to contain the segment. So each segment has its own, and publish() guards ids across
-- them. The default is for a publisher that began before this migration.
CREATE TABLE log.topic_message (LIKE log.topic_message_0_0 INCLUDING DEFAULTS) PARTITION BY RANGE (topic_number, segment);
DO $$
BEGIN
  IF EXISTS (SELECT FROM log.topic) THEN
    ALTER TABLE log.topic_message ATTACH PARTITION log.topic_message_0_0 FOR VALUES FROM (0, MINVALUE) TO (1, MINVALUE);
    INSERT INTO log.topic_segment (topic_number, segment, opened_at, closed_at, ends) VALUES (0, 0, now(), now(), '{}');
  ELSE
    DROP TABLE log.topic_message_0_0;
  END IF;
END
$$;

-- Creates the table of a segment, unless it is there. Attaching it blocks no publisher and no consumer: the lock of the whole
-- (SHARE UPDATE EXCLUSIVE) does not conflict with theirs, and there is no DEFAULT partition to be read.
CREATE FUNCTION log.create_topic_segment(of_topic integer, of_segment integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name CONSTANT text := log.topic_segment_name(of_topic, of_segment);
BEGIN
  IF to_regclass('log.' || name) IS NOT NULL THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE log.%I (LIKE log.topic_message INCLUDING DEFAULTS,
    PRIMARY KEY (partition, message_offset), UNIQUE (id))', name);
  EXECUTE format('ALTER TABLE log.topic_message ATTACH PARTITION log.%I FOR VALUES FROM (%s, %s) TO (%s, %s)',
    name, of_topic, of_segment, of_topic, of_segment + 1);
END
$$;

-- Closes the segment that is written, if it is this one still, and has the next one written, which create_topic_segment()
-- has created. Publishers wait for this short transaction.
CREATE FUNCTION log.close_topic_segment(topic_name text, of_segment integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  found_number integer;
BEGIN
  PERFORM pg_advisory_xact_lock(716531, hashtext(topic_name));
  UPDATE log.topic t SET segment = of_segment + 1 WHERE t.name = topic_name AND t.segment = of_segment
    RETURNING t.number INTO found_number;
  IF found_number IS NULL THEN
    RETURN;
  END IF;
  UPDATE log.topic_segment s SET closed_at = now(), ends =
      (SELECT array_agg(p.next_offset ORDER BY p.partition) FROM log.topic_partition p WHERE p.topic = topic_name)
   WHERE s.topic_number = found_number AND s.segment = of_segment;
  INSERT INTO log.topic_segment (topic_number, segment, opened_at) VALUES (found_number, of_segment + 1, now());
END
$$;

-- Makes a topic known, with the segment that is written first. Returns how many partitions it has.
CREATE OR REPLACE FUNCTION log.open_topic(topic_name text, wanted integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  found_partitions integer;
  new_number integer;
BEGIN
  SELECT t.partitions INTO found_partitions FROM log.topic t WHERE t.name = topic_name;
  IF found_partitions IS NOT NULL THEN
    RETURN found_partitions;
  END IF;
  PERFORM pg_advisory_xact_lock(716531, hashtext(topic_name));
  INSERT INTO log.topic (name, partitions, segment) VALUES (topic_name, wanted, 1) ON CONFLICT DO NOTHING
    RETURNING number INTO new_number;
  IF new_number IS NOT NULL THEN
    INSERT INTO log.topic_partition (topic, partition) SELECT topic_name, p FROM generate_series(0, wanted - 1) p;
    PERFORM log.create_topic_segment(new_number, 1);
    INSERT INTO log.topic_segment (topic_number, segment, opened_at) VALUES (new_number, 1, now());
  END IF;
  SELECT t.partitions INTO found_partitions FROM log.topic t WHERE t.name = topic_name;
  RETURN found_partitions;
END
$$;

SELECT log.create_topic_segment(t.number, 1) FROM log.topic t;
INSERT INTO log.topic_segment (topic_number, segment, opened_at) SELECT t.number, 1, now() FROM log.topic t;
UPDATE log.topic SET segment = 1;

-- As before (see 0002), into the segment that is written; an id is looked up in all segments of the topic. A generic plan
-- leaves out the other topics' when it begins, where a plan for each call would be made over all of them.
CREATE OR REPLACE FUNCTION log.publish(topic_name text, partitions integer[], keys text[], ids uuid[], bodies text[])
RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  written log.topic;
  known uuid[];
BEGIN
  PERFORM pg_advisory_xact_lock(716531, hashtext(topic_name));
  SELECT t.* INTO written FROM log.topic t WHERE t.name = topic_name;
  known := ARRAY(
    SELECT m.id FROM log.topic_message m
     WHERE m.topic_number IN (0, written.number) AND m.id = ANY (ids) AND m.topic = topic_name);
  WITH given AS (
    SELECT DISTINCT ON (u.id) u.*
      FROM unnest(partitions, keys, ids, bodies) WITH ORDINALITY u(partition, key, id, body, place)
     WHERE u.id <> ALL (known)
     ORDER BY u.id, u.place
  ), fresh AS (
    SELECT g.*, row_number() OVER (PARTITION BY g.partition ORDER BY g.place) - 1 AS nth FROM given g
  ), stored AS (
    INSERT INTO log.topic_message (topic_number, segment, topic, partition, message_offset, key, id, body, added)
      SELECT written.number, written.segment, topic_name, f.partition, p.next_offset + f.nth, f.key, f.id,
             f.body::json, clock_timestamp()
        FROM fresh f JOIN log.topic_partition p ON p.topic = topic_name AND p.partition = f.partition
      RETURNING partition
  )
  UPDATE log.topic_partition p SET next_offset = p.next_offset + s.many
    FROM (SELECT partition, count(*) AS many FROM stored GROUP BY partition) s
   WHERE p.topic = topic_name AND p.partition = s.partition;
  PERFORM pg_notify('log_topic', topic_name);
END
$$;
