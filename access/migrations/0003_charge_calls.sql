-- Charges many calls in one statement: each all its windows, or none when one of them is full.
--   calls: which call of the statement a window belongs to; keys, mosts, seconds: the windows
-- No two calls may share a key: each would have to count with what the other did.
-- Answers as access.charge does, window by window in the order given.
CREATE FUNCTION access.charge_calls(calls integer[], keys text[], mosts integer[], seconds integer[])
RETURNS TABLE (fits boolean, used integer, ends_at timestamptz, at timestamptz) LANGUAGE plpgsql AS $$
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
      SELECT u.place, u.call, u.key, u.most,
             CASE WHEN w.ends_at > moment THEN w.used ELSE 0 END AS before,
             CASE WHEN w.ends_at > moment THEN w.ends_at ELSE moment + make_interval(secs => u.lasts) END AS ends
        FROM unnest(calls, keys, mosts, seconds) WITH ORDINALITY u(call, key, most, lasts, place)
        JOIN access.quota_window w ON w.key = u.key
    ), judged AS (
      SELECT f.*, bool_and(f.before < f.most) OVER (PARTITION BY f.call) AS let_through FROM found f
    ), charged AS (
      UPDATE access.quota_window w SET used = j.before + 1, ends_at = j.ends
        FROM judged j WHERE w.key = j.key AND j.let_through
    )
    SELECT j.let_through, j.before + j.let_through::integer, j.ends, moment FROM judged j ORDER BY j.place;
END
$$;
