-- Charges groups of calls in one statement. The calls of a group have the same windows: as many as fit are charged to all of
-- these, the others to none.
--   groups: which group of the statement a window belongs to; keys, mosts, seconds: the windows; needs: the calls that wait
-- No two groups may share a key: each would have to count with what the other did.
-- Answers window by window in the order given: how many of the waiting calls fit, how many were used before, when the window
-- ends, and the time at which it was counted.
-- The plan is made once per connection, and is the same whatever the table of windows contained then: each window is found by its
-- key, in a subquery that no join can be turned around, and written by the same index.
CREATE FUNCTION access.charge_groups(groups integer[], keys text[], mosts integer[], seconds integer[], needs integer[])
RETURNS TABLE (granted integer, before integer, ends_at timestamptz, at timestamptz)
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  moment timestamptz;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  -- Locked in the order of their keys, so that two statements never wait for each other in a circle.
  INSERT INTO access.quota_window (key, used, ends_at)
    SELECT wanted, 0, '-infinity' FROM unnest(keys) wanted ORDER BY wanted COLLATE "C"
    ON CONFLICT (key) DO UPDATE SET used = 0 WHERE false;
  -- Only now: whoever waited for a lock must not count with a time from before.
  moment := date_trunc('milliseconds', clock_timestamp());
  RETURN QUERY
    WITH counted AS (
      SELECT u.place, u.part, u.key, u.most, u.need,
             CASE WHEN w.ends_at > moment THEN w.used ELSE 0 END AS before,
             CASE WHEN w.ends_at > moment THEN w.ends_at ELSE moment + make_interval(secs => u.lasts) END AS ends
        FROM unnest(groups, keys, mosts, seconds, needs) WITH ORDINALITY u(part, key, most, lasts, need, place)
        CROSS JOIN LATERAL (SELECT q.used, q.ends_at FROM access.quota_window q WHERE q.key = u.key OFFSET 0) w
    ), judged AS (
      SELECT c.*, greatest(0, least(c.need, min(c.most - c.before) OVER (PARTITION BY c.part))) AS granted FROM counted c
    ), charged AS (
      -- Every row is there and locked: this only updates.
      INSERT INTO access.quota_window (key, used, ends_at)
        SELECT j.key, j.before + j.granted, j.ends FROM judged j WHERE j.granted > 0
        ON CONFLICT (key) DO UPDATE SET used = EXCLUDED.used, ends_at = EXCLUDED.ends_at
    )
    SELECT j.granted, j.before, j.ends, moment FROM judged j ORDER BY j.place;
END
$$;
-- access.lease_calls and access.return_calls stay for processes of release 1 that run during an upgrade.
DROP FUNCTION access.charge_calls(integer[], text[], integer[], integer[]);
