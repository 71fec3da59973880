-- What the reports of a signal say, as the encoder computed it.
CREATE TABLE meanings (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL
);
ALTER TABLE meanings ALTER row SET STATISTICS 0;
-- The signs of each meaning of a public signal. They are compared with those of a question row by row, so rows are short.
CREATE TABLE meaning_signs (
  key text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  -- As of `search_signals`.
  moved_at timestamptz NOT NULL,
  weights text COLLATE "C" NOT NULL,
  signs bit(384) NOT NULL
);
ALTER TABLE meaning_signs ALTER signs SET STATISTICS 0;
