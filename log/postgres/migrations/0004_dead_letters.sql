-- Messages that a group of consumers could not handle: skipped, and kept for an operator.
CREATE TABLE log.dead_letter (
  group_name text NOT NULL,
  topic text NOT NULL,
  -- Id of the event; partition and offset of a message that holds none.
  message_id text NOT NULL,
  partition integer NOT NULL,
  message_offset bigint NOT NULL,
  key text NOT NULL,
  type text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('bad input', 'defect')),
  error text NOT NULL,
  attempts integer NOT NULL,
  -- The event as JSON, or what came instead of one. Text, because json takes no broken text.
  body text NOT NULL,
  failed_at timestamptz NOT NULL DEFAULT now(),
  -- Set by an operator; a consumer of the group takes it then, and clears it.
  retry_requested_at timestamptz,
  retry_claimed_at timestamptz,
  dropped_by text,
  dropped_why text,
  dropped_at timestamptz,
  PRIMARY KEY (group_name, topic, message_id)
);
CREATE INDEX dead_letter_retry ON log.dead_letter (group_name, topic) WHERE retry_requested_at IS NOT NULL;
