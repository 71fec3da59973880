-- A topic has a table, a segment, for each day on which it is written. See log/postgres/README.md.

SET LOCAL lock_timeout = '2s';
SELECT pg_advisory_xact_lock(716531, hashtext(t.name)) FROM log.topic t ORDER BY t.name;

-- Tables whose messages count as removed already: a process was killed before it dropped them.
DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT log.topic_segment_name(topic_number, segment) FROM log.topic_segment WHERE dropping LOOP
    EXECUTE format('DROP TABLE IF EXISTS log.%I', name);
  END LOOP;
END
$$;
DELETE FROM log.topic_segment WHERE dropping;
ALTER TABLE log.topic_segment DROP COLUMN dropping;

-- What the table of release 1.0, which all topics share, has of a topic is its segment 0.
INSERT INTO log.topic_segment (topic_number, segment, opened_at, closed_at, ends)
  SELECT t.number, 0, s.opened_at, s.closed_at, ARRAY(
      SELECT coalesce((SELECT message_offset + 1 FROM log.topic_message m
        WHERE m.topic_number = 0 AND m.topic = t.name AND m.partition = p.partition ORDER BY message_offset DESC LIMIT 1), 0)
        FROM log.topic_partition p WHERE p.topic = t.name ORDER BY p.partition)
    FROM log.topic_segment s, log.topic t WHERE s.topic_number = 0;
DELETE FROM log.topic_segment WHERE topic_number = 0;

-- Begins the table of today, UTC, if a topic writes that of an earlier day.
CREATE FUNCTION log.begin_topic_day(topic_name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  written log.topic_segment;
BEGIN
  SELECT s.* INTO written FROM log.topic t JOIN log.topic_segment s ON s.topic_number = t.number AND s.segment = t.segment
   WHERE t.name = topic_name;
  IF written.opened_at < date_trunc('day', now(), 'UTC') THEN
    PERFORM pg_advisory_xact_lock(716531, hashtext(topic_name));
    PERFORM log.create_topic_segment(written.topic_number, written.segment + 1);
    PERFORM log.close_topic_segment(topic_name, written.segment);
  END IF;
END
$$;

-- As before (see 0009), into the table of today; an id is looked up in this one and the one before, by their names: a plan for all
-- tables of the topic would lock them all.
CREATE OR REPLACE FUNCTION log.publish(topic_name text, partitions integer[], keys text[], ids uuid[], bodies text[])
RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  written log.topic;
  known uuid[] := '{}';
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(716531, hashtext(topic_name));
  PERFORM log.begin_topic_day(topic_name);
  SELECT t.* INTO written FROM log.topic t WHERE t.name = topic_name;
  FOR name IN SELECT log.topic_segment_name(CASE WHEN of_segment = 0 THEN 0 ELSE written.number END, of_segment)
    FROM (VALUES (written.segment - 1), (written.segment)) v(of_segment)
  LOOP
    IF to_regclass('log.' || name) IS NOT NULL THEN
      EXECUTE format('SELECT $1 || ARRAY(SELECT m.id FROM log.%I m WHERE m.id = ANY ($2) AND m.topic = $3)', name)
        INTO known USING known, ids, topic_name;
    END IF;
  END LOOP;
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

-- Messages from an offset on, of the one table that has the first of them, and where that table ends in the partition. The table is
-- known when the query is planned, so no other one is locked.
-- STABLE: all is read in one snapshot. As offsets are given in the order of commits, one below the end that has no message
-- never will have one.
CREATE FUNCTION log.messages_from(topic_name text, of_partition integer, from_offset bigint, most integer)
RETURNS TABLE ("end" bigint, message_offset bigint, key text, body json)
STABLE LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
  of_number integer;
  of_segment integer;
  segment_end bigint;
BEGIN
  SELECT s.topic_number, s.segment, coalesce(s.ends[of_partition + 1], p.next_offset)
    INTO of_number, of_segment, segment_end
    FROM log.topic t
    JOIN log.topic_partition p ON p.topic = t.name AND p.partition = of_partition
    JOIN log.topic_segment s ON s.topic_number = t.number AND (s.closed_at IS NULL OR s.ends[of_partition + 1] > from_offset)
   WHERE t.name = topic_name ORDER BY s.segment LIMIT 1;
  IF of_segment = 0 THEN
    of_number := 0;
  END IF;
  RETURN QUERY SELECT segment_end, m.message_offset, m.key, m.body FROM (VALUES (1)) one
    LEFT JOIN LATERAL (SELECT message_offset, key, body FROM log.topic_message
      WHERE topic_number = of_number AND segment = of_segment AND topic = topic_name AND partition = of_partition
        AND message_offset >= from_offset ORDER BY message_offset LIMIT most) m ON true
    ORDER BY m.message_offset;
END
$$;

-- Drops the table of a day. Publishers and consumers wait behind its lock, so it gives up soon. Returns how many messages are gone.
CREATE FUNCTION log.drop_topic_segment(topic_name text, of_segment integer) RETURNS bigint
LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
DECLARE
  gone log.topic_segment;
  removed bigint;
BEGIN
  DELETE FROM log.topic_segment s USING log.topic t
   WHERE t.name = topic_name AND s.topic_number = t.number AND s.segment = of_segment AND s.closed_at IS NOT NULL
   RETURNING s.* INTO gone;
  IF gone IS NULL THEN
    RETURN 0;
  END IF;
  IF of_segment > 0 THEN
    EXECUTE format('DROP TABLE log.%I', log.topic_segment_name(gone.topic_number, of_segment));
  ELSIF EXISTS (SELECT FROM log.topic_segment WHERE segment = 0) THEN
    DELETE FROM log.topic_message WHERE topic_number = 0 AND topic = topic_name;
  ELSE
    DROP TABLE log.topic_message_0_0;
  END IF;
  WITH before AS (
    SELECT p.partition, p.first_offset, gone.ends[p.partition + 1] AS "end" FROM log.topic_partition p WHERE p.topic = topic_name
  ), moved AS (
    UPDATE log.topic_partition p SET first_offset = b."end" FROM before b
     WHERE p.topic = topic_name AND p.partition = b.partition AND b."end" > b.first_offset
    RETURNING b."end" - b.first_offset AS messages
  ) SELECT coalesce(sum(messages), 0) INTO removed FROM moved;
  RETURN removed;
END
$$;
