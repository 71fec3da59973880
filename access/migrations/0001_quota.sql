-- Windows of calls. A window starts at its first call and ends a fixed time after it; one that ended counts for nothing.
CREATE TABLE access.quota_window (
  -- Whose window it is, and which: 'acc_… day', 'ip 192.0.2.1 ask'.
  key text COLLATE "C" PRIMARY KEY,
  used integer NOT NULL,
  ends_at timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX quota_window_ended ON access.quota_window (ends_at);

-- Charges a call to all its windows, or to none when one of them is full.
--   keys, mosts, seconds: the windows, how many calls each holds and how long it lasts, in the order of the answer
--   cost: 1 for a call; 0 only looks; below 0 gives back, where the window is still the one that ends at ended[i]
--   moment: the time, that of the database when null
-- Answers for each window how much is used after the call and when it ends, and whether the call was let through.
-- All rows are locked first, in the order of their keys, so that two calls never wait for each other in a circle.
CREATE FUNCTION access.charge(
  keys text[], mosts integer[], seconds integer[], cost integer, moment timestamptz, ended timestamptz[]
) RETURNS TABLE (fits boolean, used integer, ends_at timestamptz, at timestamptz) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  let_through boolean;
BEGIN
  -- A crash of PostgreSQL itself may forget the calls of its last half second; a killed client forgets nothing.
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO access.quota_window (key, used, ends_at)
    SELECT wanted, 0, '-infinity' FROM unnest(keys) wanted ORDER BY wanted COLLATE "C"
    ON CONFLICT (key) DO UPDATE SET used = 0 WHERE false;
  -- Only now: whoever waited for the lock must not count with a time from before.
  -- Whole milliseconds, so that an end comes back as the caller read it.
  moment := date_trunc('milliseconds', coalesce(moment, clock_timestamp()));
  SELECT bool_and(CASE WHEN w.ends_at > moment THEN w.used ELSE 0 END + cost <= u.most) INTO let_through
    FROM unnest(keys, mosts) u(key, most) JOIN access.quota_window w ON w.key = u.key;
  IF cost > 0 AND let_through THEN
    UPDATE access.quota_window w SET
        used = CASE WHEN w.ends_at > moment THEN w.used ELSE 0 END + cost,
        ends_at = CASE WHEN w.ends_at > moment THEN w.ends_at ELSE moment + make_interval(secs => u.lasts) END
      FROM unnest(keys, seconds) u(key, lasts) WHERE w.key = u.key;
  ELSIF cost < 0 THEN
    UPDATE access.quota_window w SET used = greatest(0, w.used + cost)
      FROM unnest(keys, ended) u(key, was) WHERE w.key = u.key AND w.ends_at = u.was;
  END IF;
  RETURN QUERY
    SELECT let_through,
           CASE WHEN w.ends_at > moment THEN w.used ELSE 0 END,
           CASE WHEN w.ends_at > moment THEN w.ends_at ELSE moment + make_interval(secs => u.lasts) END,
           moment
      FROM unnest(keys, seconds) WITH ORDINALITY u(key, lasts, place)
      JOIN access.quota_window w ON w.key = u.key ORDER BY u.place;
END
$$;
