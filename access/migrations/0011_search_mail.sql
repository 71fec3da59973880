-- What became of each digest of a saved search that is mailed: the mails of a search are numbered, so that nobody gets two.
CREATE TABLE access.search_mail (
  search text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  account text COLLATE "C" NOT NULL,
  -- The ids of its stories; null while it waits for more. They stay the same from the first attempt on.
  stories text[] COLLATE "C",
  -- As in access.brief_mail. The stories of a refused mail count as not mailed.
  state text NOT NULL CHECK (state IN ('claimed', 'handing_over', 'sent', 'refused', 'empty')),
  claimed_by text NOT NULL DEFAULT '',
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamptz NOT NULL DEFAULT '-infinity',
  -- What the mail server said last.
  answer text,
  opened_at timestamptz NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (search, number)
);
CREATE INDEX search_mail_open ON access.search_mail (not_before) WHERE state IN ('claimed', 'handing_over');
CREATE INDEX search_mail_account ON access.search_mail (account);
CREATE INDEX search_mail_changed ON access.search_mail (changed_at);
