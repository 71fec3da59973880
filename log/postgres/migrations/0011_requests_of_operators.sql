-- Only operators request polls.
DELETE FROM log.poll_request WHERE trigger <> 'operator';
ALTER TABLE log.poll_request DROP COLUMN trigger;
DROP TABLE log.websub_subscription;
