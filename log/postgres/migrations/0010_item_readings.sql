-- What a language model said of items. Rows and not events: without them an item is read again, or by the local readers.
CREATE TABLE log.item_reading (
  -- The id of the item's event.
  item uuid PRIMARY KEY,
  model text NOT NULL,
  -- JSON; null while the item waits for the provider.
  claims text,
  requested_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX item_reading_waiting ON log.item_reading (requested_at) WHERE claims IS NULL;
