-- Charges groups of calls in one statement. The calls of a group have the same windows: as many as fit are charged to all of
-- these, the others to none. With them a process may take a lease: calls charged in advance, which it spends itself.
--   groups: which group of the statement a window belongs to; keys, mosts, seconds: the windows
--   needs: the calls that wait; extras: the calls wanted as a lease
--   share: a lease is at most this fraction of what the calls that wait leave over
-- No two groups may share a key: each would have to count with what the other did.
-- Answers window by window in the order given: how many of the waiting calls fit, how many were leased, how many were used
-- before, when the window ends, and the time at which it was counted.
CREATE FUNCTION access.lease_calls(
  groups integer[], keys text[], mosts integer[], seconds integer[], needs integer[], extras integer[], share integer
) RETURNS TABLE (granted integer, leased integer, before integer, ends_at timestamptz, at timestamptz)
LANGUAGE plpgsql AS $$
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
        JOIN access.quota_window w ON w.key = u.key
    ), roomy AS (
      SELECT f.*, greatest(0, min(f.most - f.before) OVER (PARTITION BY f.part)) AS room FROM found f
    ), judged AS (
      SELECT r.*, least(r.need, r.room) AS granted, greatest(0, least(r.extra, (r.room - r.need) / share)) AS leased
        FROM roomy r
    ), charged AS (
      UPDATE access.quota_window w SET used = j.before + j.granted + j.leased, ends_at = j.ends
        FROM judged j WHERE w.key = j.key AND j.granted > 0
    )
    SELECT j.granted, j.leased, j.before, j.ends, moment FROM judged j ORDER BY j.place;
END
$$;

-- Gives back calls that a process leased and did not spend, where the window is still the one that ends at ended[i].
-- A key may be there several times: leases of different groups share windows.
CREATE FUNCTION access.return_calls(keys text[], calls integer[], ended timestamptz[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM FROM access.quota_window w WHERE w.key = ANY (keys) ORDER BY w.key COLLATE "C" FOR UPDATE;
  UPDATE access.quota_window w SET used = greatest(0, w.used - back.many)
    FROM (SELECT u.key, u.until, sum(u.many)::integer AS many
            FROM unnest(keys, calls, ended) u(key, many, until) GROUP BY u.key, u.until) back
   WHERE w.key = back.key AND w.ends_at = back.until;
END
$$;
