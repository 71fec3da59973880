/** Errors that are meant for the caller. Every other error is ours, and its text is never shown. */
import { ERROR_STATUS, type ErrorCode } from './resources.ts';

/** Says no to a request: a code of the contract and a sentence that says what happened and what to do. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly code: ErrorCode;
  /** HTTP status of the code. */
  readonly status: number;
  /** Headers that belong to the answer, such as `Allow` or `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields that the body has besides `error` and `message`, such as the limit that was hit. */
  readonly details: Readonly<Record<string, unknown>>;
  constructor(
    code: ErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(bounded(message));
    this.code = code;
    this.status = ERROR_STATUS[code];
    this.headers = headers;
    this.details = details;
  }
}

const MAXIMUM_SHOWN = 60;

/** Characters of a message: whatever a caller sends, the answer stays small. */
const MAXIMUM_MESSAGE = 2_000;

/** Names and sentences that a message lists one by one; the rest are counted. */
const MAXIMUM_LISTED = 5;

/**
 * A message of at most 2,000 characters.
 * @param message may repeat what a caller sent, any number of times
 */
export const bounded = (message: string): string =>
  message.length > MAXIMUM_MESSAGE ? `${message.slice(0, MAXIMUM_MESSAGE - 1)}…` : message;

/**
 * Joins sentences about what a caller sent: the first five, and how many more there are.
 * @param sentences may repeat; each is written once
 */
export function joinedSentences(sentences: Iterable<string>): string {
  const unique = [...new Set(sentences)];
  const more = unique.length - MAXIMUM_LISTED;
  return bounded([...unique.slice(0, MAXIMUM_LISTED), ...(more > 0 ? [`And ${more} more like these.`] : [])].join(' '));
}

/**
 * What was sent, as a message may repeat it: quoted, escaped and cut, because it is a stranger's text.
 * @param value anything, JSON or not
 */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAXIMUM_SHOWN ? `${text.slice(0, MAXIMUM_SHOWN)}…` : text;
}
