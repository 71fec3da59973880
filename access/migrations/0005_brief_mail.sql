-- What became of each brief that is mailed: one row for a person and a day, so that nobody gets two.
CREATE TABLE access.brief_mail (
  -- The day in India.
  day date NOT NULL,
  account text COLLATE "C" NOT NULL,
  -- claimed: a process prepares it, and another may take it over;
  -- handing_over: the mail server may have it; it is sent again only when its process is dead or heard no answer;
  -- sent, refused (for good), empty (there was nothing to tell): done.
  state text NOT NULL CHECK (state IN ('claimed', 'handing_over', 'sent', 'refused', 'empty')),
  -- The process that claimed it last.
  claimed_by text NOT NULL,
  attempts integer NOT NULL DEFAULT 1,
  -- Not to be claimed again before.
  not_before timestamptz NOT NULL DEFAULT '-infinity',
  -- What the mail server said last.
  answer text,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (day, account)
);
