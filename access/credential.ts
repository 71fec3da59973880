/** What a request sends to say who calls. */
import type { IncomingHttpHeaders } from 'node:http';

export interface Credential {
  /** The text as it was sent: a key or a sign-in token, or neither. */
  readonly text: string;
  readonly sentAs: 'bearer' | 'x-api-key';
}

/**
 * Reads it: `Authorization: Bearer` wins over `X-API-Key`. Another scheme than Bearer says nothing to us.
 * @returns null when nothing was sent; an empty Bearer is something, and will not hold
 */
export function readCredential(headers: IncomingHttpHeaders): Credential | null {
  const [, bearer] = /^bearer(?: +(.*))?$/i.exec(headers.authorization?.trim() ?? '') ?? [null, null];
  if (bearer !== null) return { text: bearer ?? '', sentAs: 'bearer' };
  const sent = headers['x-api-key'];
  return sent === undefined ? null : { text: [sent].flat().join(', ').trim(), sentAs: 'x-api-key' };
}
