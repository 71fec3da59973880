-- Sources that are to be polled before they are due. One row a source, so that requests cannot pile up; it stays until
-- a poll that began after it has ended, so that no restart loses it.
CREATE TABLE log.poll_request (
  source_id text COLLATE "C" PRIMARY KEY,
  requested_at timestamptz NOT NULL,
  -- `operator` or `hub`
  trigger text NOT NULL,
  -- Null while it waits.
  answered_at timestamptz,
  -- The PollCompleted data of the poll that answered it, as JSON, without what it remembers of the listing.
  poll text
);
CREATE INDEX poll_request_waiting ON log.poll_request (source_id) WHERE answered_at IS NULL;
