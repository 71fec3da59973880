/** The version of a model: a fingerprint of everything that decides what its rows hold. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** 12 hexadecimal digits. */
export type Version = string;

/** Raised when the engine stores the same rows in another form, so that every model is built anew. */
const STORAGE_FORM = 1;

/**
 * Computes a version at start, so that no one can forget to raise it.
 * @param files the model's code and SQL, as `file:` URLs; the readers' queries are not among them
 * @param parameters what the rows depend on besides, such as the base URL
 * @throws when a file cannot be read
 */
export function modelVersion(files: readonly URL[], parameters: Readonly<Record<string, string>> = {}): Version {
  const hash = createHash('sha256').update(JSON.stringify([STORAGE_FORM, Object.entries(parameters).sort()]));
  for (const file of files) hash.update('\0').update(readFileSync(file));
  return hash.digest('hex').slice(0, 12);
}
