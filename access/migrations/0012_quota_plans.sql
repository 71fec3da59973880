-- A window is found by its key, however few windows there were when a connection planned its statements: read from its first page to
-- its last, the table made a call cost forty times as much until it was analysed.
ALTER FUNCTION access.lease_calls(integer[], text[], integer[], integer[], integer[], integer[], integer)
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
ALTER FUNCTION access.return_calls(text[], integer[], timestamptz[])
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
ALTER FUNCTION access.charge(text[], integer[], integer[], integer, timestamptz, timestamptz[])
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
