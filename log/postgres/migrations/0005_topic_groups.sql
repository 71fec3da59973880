-- When a group last moved: one that has no consumers and has not moved for long no longer holds back retention.
ALTER TABLE log.topic_group ADD COLUMN moved_at timestamptz NOT NULL DEFAULT now();

-- Groups that earlier releases used for one reading and left behind.
DELETE FROM log.topic_group WHERE group_name ~ '^(replay|trace|history)-[0-9a-f]{8}-';

-- Deletes a group with its offsets in all topics, unless it has consumers. Returns whether it is gone.
CREATE FUNCTION log.delete_group(name text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM log.topic_member m
      JOIN pg_stat_activity a ON a.pid = m.session AND a.backend_start = m.session_start
     WHERE m.group_name = name AND m.seen > now() - interval '5 seconds')
  THEN
    RETURN false;
  END IF;
  DELETE FROM log.topic_member m WHERE m.group_name = name;
  DELETE FROM log.topic_group g WHERE g.group_name = name;
  RETURN true;
END
$$;

-- Removes messages of a partition below an offset, oldest first, so many at most. Returns how many.
DROP FUNCTION log.trim_partition(text, integer, timestamptz);
CREATE FUNCTION log.trim_partition(topic_name text, of_partition integer, keep_from bigint, most integer)
RETURNS bigint LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  upto bigint;
  removed bigint;
BEGIN
  SELECT max(m.message_offset) INTO upto FROM (
    SELECT message_offset FROM log.topic_message
     WHERE topic = topic_name AND partition = of_partition AND message_offset < keep_from
     ORDER BY message_offset LIMIT most) m;
  DELETE FROM log.topic_message m
   WHERE m.topic = topic_name AND m.partition = of_partition AND m.message_offset <= upto;
  GET DIAGNOSTICS removed = ROW_COUNT;
  UPDATE log.topic_partition p SET first_offset = greatest(p.first_offset, upto + 1)
   WHERE p.topic = topic_name AND p.partition = of_partition AND upto IS NOT NULL;
  RETURN removed;
END
$$;
