/** Tokens of sessions: 256 bits of chance, kept as their SHA-256 alone. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const FORM = /^[A-Za-z0-9_-]{43}$/;

/** 43 characters of base64url, for a cookie; never to be kept as it is. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** Whether a cookie has the form of a token: nothing else is looked up. */
export const isToken = (text: string): boolean => FORM.test(text);

/** As it is kept: SHA-256 in hex. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** What a form of this session carries. It follows from the session's token, so that it need not be kept. */
export const formToken = (token: string): string => createHmac('sha256', token).update('form').digest('base64url');

/** Compared in constant time. */
export function sameToken(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
