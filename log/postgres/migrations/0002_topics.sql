-- Topics: messages in partitions, numbered without gaps, and where each group of consumers stands.
CREATE TABLE log.topic (
  name text PRIMARY KEY,
  -- Fixed with the first message: another number would send the keys to other partitions and lose their order.
  partitions integer NOT NULL CHECK (partitions > 0)
);
CREATE TABLE log.topic_partition (
  topic text NOT NULL REFERENCES log.topic,
  partition integer NOT NULL,
  -- Offset of the oldest message kept and of the next one to come.
  first_offset bigint NOT NULL DEFAULT 0,
  next_offset bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (topic, partition)
) WITH (fillfactor = 50);
CREATE TABLE log.topic_message (
  topic text NOT NULL,
  partition integer NOT NULL,
  message_offset bigint NOT NULL,
  key text NOT NULL,
  id uuid NOT NULL,
  body json NOT NULL,
  added timestamptz NOT NULL,
  PRIMARY KEY (topic, partition, message_offset),
  UNIQUE (id, topic)
);
CREATE TABLE log.topic_group (
  group_name text NOT NULL,
  topic text NOT NULL,
  partition integer NOT NULL,
  -- Offset of the next message to handle.
  next_offset bigint NOT NULL,
  PRIMARY KEY (group_name, topic, partition)
) WITH (fillfactor = 50);
CREATE TABLE log.topic_member (
  group_name text NOT NULL,
  topic text NOT NULL,
  member uuid NOT NULL,
  -- The session that holds the member's locks: when it is gone, so is the member.
  session integer NOT NULL,
  session_start timestamptz NOT NULL,
  seen timestamptz NOT NULL,
  PRIMARY KEY (group_name, topic, member)
) WITH (fillfactor = 50);

-- Makes a topic known. Returns how many partitions it has.
CREATE FUNCTION log.open_topic(topic_name text, wanted integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  found_partitions integer;
BEGIN
  INSERT INTO log.topic VALUES (topic_name, wanted) ON CONFLICT DO NOTHING;
  SELECT t.partitions INTO found_partitions FROM log.topic t WHERE t.name = topic_name;
  INSERT INTO log.topic_partition (topic, partition)
    SELECT topic_name, p FROM generate_series(0, found_partitions - 1) p ON CONFLICT DO NOTHING;
  RETURN found_partitions;
END
$$;

-- Stores messages; ids that the topic holds already are left out. The lock comes first and is held until the commit,
-- so offsets are given in the order of commits and a consumer never skips a late one.
CREATE FUNCTION log.publish(topic_name text, partitions integer[], keys text[], ids uuid[], bodies text[])
RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(716531, hashtext(topic_name));
  WITH given AS (
    SELECT DISTINCT ON (u.id) u.*
      FROM unnest(partitions, keys, ids, bodies) WITH ORDINALITY u(partition, key, id, body, place)
     ORDER BY u.id, u.place
  ), fresh AS (
    SELECT g.*, row_number() OVER (PARTITION BY g.partition ORDER BY g.place) - 1 AS nth
      FROM given g
     WHERE NOT EXISTS (SELECT 1 FROM log.topic_message m WHERE m.id = g.id AND m.topic = topic_name)
  ), stored AS (
    INSERT INTO log.topic_message (topic, partition, message_offset, key, id, body, added)
      SELECT topic_name, f.partition, p.next_offset + f.nth, f.key, f.id, f.body::json, clock_timestamp()
        FROM fresh f JOIN log.topic_partition p ON p.topic = topic_name AND p.partition = f.partition
      RETURNING partition
  )
  UPDATE log.topic_partition p SET next_offset = p.next_offset + s.many
    FROM (SELECT partition, count(*) AS many FROM stored GROUP BY partition) s
   WHERE p.topic = topic_name AND p.partition = s.partition;
  PERFORM pg_notify('log_topic', topic_name);
END
$$;

-- Removes the messages of a partition that were added before a time, oldest first, never one behind a younger one.
CREATE FUNCTION log.trim_partition(topic_name text, of_partition integer, before timestamptz)
RETURNS bigint LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  keep_from bigint;
  removed bigint;
BEGIN
  SELECT coalesce(
      (SELECT m.message_offset FROM log.topic_message m
        WHERE m.topic = topic_name AND m.partition = of_partition AND m.added >= before
        ORDER BY m.message_offset LIMIT 1),
      p.next_offset) INTO keep_from
    FROM log.topic_partition p WHERE p.topic = topic_name AND p.partition = of_partition;
  DELETE FROM log.topic_message m
   WHERE m.topic = topic_name AND m.partition = of_partition AND m.message_offset < keep_from;
  GET DIAGNOSTICS removed = ROW_COUNT;
  UPDATE log.topic_partition p SET first_offset = greatest(p.first_offset, keep_from)
   WHERE p.topic = topic_name AND p.partition = of_partition;
  RETURN removed;
END
$$;
