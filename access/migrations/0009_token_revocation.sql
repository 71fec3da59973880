-- Access tokens that were revoked before they expired. Sign-in is no event: a revocation is dropped once the token has
-- expired; that of an account stays, because other issuers decide how long their tokens live.
CREATE TABLE access.token_revocation (
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('token', 'grant', 'account')),
  -- The `jti` of a token, the id of a grant, or `acc_…`.
  id text COLLATE "C" NOT NULL,
  revoked_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  PRIMARY KEY (kind, id)
);
CREATE INDEX token_revocation_expired ON access.token_revocation (expires_at) WHERE expires_at IS NOT NULL;
