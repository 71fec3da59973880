CREATE TABLE review_signals (
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  status text NOT NULL,
  published_at timestamptz NOT NULL,
  -- The day of its detection in India, YYYY-MM-DD; null where it was not public then: only what readers saw is sampled.
  sampled_on text,
  -- From 0, sure, to 1; see `doubtOf`.
  doubt double precision NOT NULL,
  outlets integer NOT NULL,
  -- What an operator decided last: confirmed, corrected, split, held, released or retracted; null for none.
  verdict text,
  decided_at timestamptz,
  -- What operators judged of it, and which of that was wrong when they read it; see `Aspect`. Null where none did.
  judged text[],
  wrong text[],
  -- When its outlet published it, when a poll found it and when it was public: null where one of them was not recorded.
  outlet_at timestamptz,
  found_at timestamptz,
  public_at timestamptz,
  -- Open reports of readers.
  mistakes integer NOT NULL
);
-- The open reports of readers: an operator who decides about the signal closes them.
CREATE TABLE review_mistakes (
  key text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  at timestamptz NOT NULL,
  what text NOT NULL,
  note text
);
-- The public log: one entry for each decision of an operator that took something back.
CREATE TABLE corrections (
  key text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  at timestamptz NOT NULL,
  -- What was wrong and what is right, as JSON.
  entry text NOT NULL
);
-- What became of reports whose readers left an address: mailed once.
CREATE TABLE review_outcomes (
  key text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  mistake_id text NOT NULL,
  -- The signal that was reported, which may have been merged into this one.
  signal_id text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL,
  -- A verdict, or merged.
  outcome text NOT NULL,
  why text
);
