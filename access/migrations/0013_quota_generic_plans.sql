-- The plan of a call that waits is made once per connection, and is the same whatever the table of windows contained then: each
-- window is found by its key, in a subquery that no join can be turned around, and written by the same index. Planned for each
-- statement, as the default does for few windows, a statement for one call cost three times as much.
CREATE OR REPLACE FUNCTION access.lease_calls(
  groups integer[], keys text[], mosts integer[], seconds integer[], needs integer[], extras integer[], share integer
) RETURNS TABLE (granted integer, leased integer, before integer, ends_at timestamptz, at timestamptz)
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
    WITH found AS (
      SELECT u.place, u.part, u.key, u.most, u.need, u.extra,
             CASE WHEN w.ends_at > moment THEN w.used ELSE 0 END AS before,
             CASE WHEN w.ends_at > moment THEN w.ends_at ELSE moment + make_interval(secs => u.lasts) END AS ends
        FROM unnest(groups, keys, mosts, seconds, needs, extras)
             WITH ORDINALITY u(part, key, most, lasts, need, extra, place)
        CROSS JOIN LATERAL (SELECT q.used, q.ends_at FROM access.quota_window q WHERE q.key = u.key OFFSET 0) w
    ), roomy AS (
      SELECT f.*, greatest(0, min(f.most - f.before) OVER (PARTITION BY f.part)) AS room FROM found f
    ), judged AS (
      SELECT r.*, least(r.need, r.room) AS granted, greatest(0, least(r.extra, (r.room - r.need) / share)) AS leased
        FROM roomy r
    ), charged AS (
      -- Every row is there and locked: this only updates.
      INSERT INTO access.quota_window (key, used, ends_at)
        SELECT j.key, j.before + j.granted + j.leased, j.ends FROM judged j WHERE j.granted > 0
        ON CONFLICT (key) DO UPDATE SET used = EXCLUDED.used, ends_at = EXCLUDED.ends_at
    )
    SELECT j.granted, j.leased, j.before, j.ends, moment FROM judged j ORDER BY j.place;
END
$$;
