-- Subscriptions to WebSub hubs, one a source. Rows and not events: they hold a secret and change with every renewal, and
-- without them everything works on, by polling.
CREATE TABLE log.websub_subscription (
  source_id text COLLATE "C" PRIMARY KEY,
  -- The last part of the callback's address; nobody can guess it.
  token text NOT NULL UNIQUE,
  hub text NOT NULL,
  topic text NOT NULL,
  -- What the hub signs deliveries with.
  secret text NOT NULL,
  state text NOT NULL CHECK (state IN ('requested', 'active', 'denied')),
  -- Of the last request to the hub that it has not verified yet; null when none is open.
  requested_at timestamptz,
  -- Requests in a row that led to no verification.
  failures integer NOT NULL DEFAULT 0,
  -- When the hub is asked (again).
  next_attempt_at timestamptz NOT NULL,
  lease_expires_at timestamptz,
  last_delivery_at timestamptz,
  -- Scheduled polls in a row that found new items which the hub had not announced.
  missed integer NOT NULL DEFAULT 0,
  -- Why the last request failed or was denied, for operators.
  reason text
);
CREATE INDEX websub_subscription_due ON log.websub_subscription (next_attempt_at);
