-- As append and append_many, and says which of the events the stream contained already: `known_ids`. Those stay for the
-- processes of the release before, whose prepared statements would fail if the columns of their result changed.

-- Appends all events of one stream or none.
--   expected: the last revision of the stream, -1 for no stream, -2 for any.
--   ids: no two alike.
--   outcome: 'appended' (also when all of it was there already), or 'conflict' with the actual revision.
-- The lock comes first and is held until the commit: positions are drawn in the order of commits, so whoever has
-- read up to a position has missed nothing below it.
-- Sequential scans are off because a plan made while the table was empty is kept for long.
CREATE FUNCTION log.append_events(
  into_stream text, ids uuid[], bodies text[], expected integer,
  OUT outcome text, OUT last_revision integer, OUT last_position bigint, OUT known_ids uuid[]
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  current integer;
BEGIN
  PERFORM pg_advisory_xact_lock(7165310201);
  SELECT coalesce(array_agg(e.id), '{}'), max(e.revision), max(e.position) INTO known_ids, last_revision, last_position
    FROM log.event e WHERE e.id = ANY (ids) AND e.stream = into_stream;
  IF cardinality(known_ids) > 0 AND cardinality(known_ids) = cardinality(ids) THEN
    outcome := 'appended';
    RETURN;
  END IF;
  SELECT e.revision INTO current FROM log.event e WHERE e.stream = into_stream ORDER BY e.revision DESC LIMIT 1;
  current := coalesce(current, -1);
  IF expected <> -2 AND expected <> current THEN
    outcome := 'conflict';
    last_revision := current;
    RETURN;
  END IF;
  IF cardinality(ids) = 0 THEN
    outcome := 'appended';
    last_revision := current;
    SELECT coalesce(max(e.position), 0) INTO last_position FROM log.event e WHERE e.stream = into_stream;
    RETURN;
  END IF;
  IF cardinality(known_ids) > 0 THEN
    SELECT array_agg(u.id ORDER BY u.place), array_agg(u.body ORDER BY u.place) INTO ids, bodies
      FROM unnest(ids, bodies) WITH ORDINALITY u(id, body, place)
     WHERE u.id <> ALL (known_ids);
  END IF;
  INSERT INTO log.event (position, stream, revision, id, body)
    SELECT nextval('log.event_position'), into_stream, current + u.place, u.id, u.body::json
      FROM unnest(ids, bodies) WITH ORDINALITY u(id, body, place);
  outcome := 'appended';
  last_revision := current + cardinality(ids);
  last_position := currval('log.event_position');
  PERFORM pg_notify('log_event', '');
END
$$;

-- Several appends to different streams in one commit; each is all or none for itself.
--   sizes: how many of ids and bodies belong to each stream, in order.
CREATE FUNCTION log.append_events_many(streams text[], expecteds integer[], sizes integer[], ids uuid[], bodies text[])
RETURNS TABLE (outcome text, last_revision integer, last_position bigint, known_ids uuid[]) LANGUAGE plpgsql AS $$
DECLARE
  first integer := 1;
BEGIN
  FOR i IN 1 .. cardinality(streams) LOOP
    RETURN QUERY SELECT a.* FROM log.append_events(
      streams[i], ids[first : first + sizes[i] - 1], bodies[first : first + sizes[i] - 1], expecteds[i]) a;
    first := first + sizes[i];
  END LOOP;
END
$$;
