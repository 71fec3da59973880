/** Keys and applications as callers see them: never the hash. */
import type { ApplicationRow, FoundAccount, KeyRow } from '../../projector/models/accounts-queries.ts';
import type { ApplicationDocument, KeyDocument, ReviewedApplication } from '../../schemas/key.ts';

/** @param now the moment that decides whether the key has expired */
export function keyDocument(key: KeyRow, now: Date): KeyDocument {
  const { id, name, ending, scopes, created_at, expires_at, revoked_at } = key;
  const expired = expires_at !== null && Date.parse(expires_at) <= now.getTime();
  const status = revoked_at !== null ? 'revoked' : expired ? 'expired' : 'active';
  return { id, name, ending, scopes: [...scopes], status, created_at, expires_at, revoked_at };
}

/** An application as the person who made it may see it: without who reviewed it. */
export const applicationDocument = (application: ApplicationRow): ApplicationDocument => {
  const { id, status, submitted_at, reviewed_at, why } = application;
  return { id, status, submitted_at, reviewed_at, why };
};

/** The newest application of an account, for operators; null where there is none. */
export const reviewedApplication = ({ id, name, application }: FoundAccount): ReviewedApplication | null =>
  application && {
    ...applicationDocument(application),
    account: { id, name: name ?? id },
    email: application.email,
    use: application.use,
  };
