-- The words of a signal and what it is filtered by. The words of one that is not public are stored, but not indexed.
CREATE TABLE search_signals (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  is_public boolean NOT NULL,
  -- When it happened as far as that is known, else when it was published; never later than that.
  moved_at timestamptz NOT NULL,
  move text NOT NULL,
  theme text COLLATE "C",
  brands text[] NOT NULL,
  about text[] NOT NULL,
  cities text[] NOT NULL,
  headline text NOT NULL,
  names text NOT NULL,
  body text NOT NULL,
  -- Titles and summaries of all reports that count.
  reports text NOT NULL,
  words tsvector GENERATED ALWAYS AS (
    CASE WHEN is_public THEN
      setweight(to_tsvector('english', headline), 'A') || setweight(to_tsvector('english', names), 'B')
        || setweight(to_tsvector('english', body), 'C') || setweight(to_tsvector('english', reports), 'D')
    END) STORED
);
ALTER TABLE search_signals ALTER row SET STATISTICS 0, ALTER headline SET STATISTICS 0, ALTER names SET STATISTICS 0,
  ALTER reports SET STATISTICS 0,
  ALTER body SET STATISTICS 0;
