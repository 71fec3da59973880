/** Refusals as answers over HTTP: status, headers and further fields. */
import { Refusal } from '../schemas/input-errors.ts';
import { ERROR_STATUS, type ErrorCode } from '../schemas/resources.ts';

/** A refusal with what only an answer over HTTP has. */
export class HttpRefusal extends Refusal {
  /** Headers that belong to the answer, such as `Allow` or `WWW-Authenticate`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields of the body in addition to `error` and `message`, such as the limit that was hit. */
  readonly details: Readonly<Record<string, unknown>>;
  constructor(
    code: ErrorCode,
    message: string,
    headers: Readonly<Record<string, string>>,
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(code, message);
    this.headers = headers;
    this.details = details;
  }
}

/** The status, headers and further fields with which a refusal is answered. */
export const httpAnswerOf = (refusal: Refusal) => ({
  status: ERROR_STATUS[refusal.code],
  headers:
    refusal instanceof HttpRefusal
      ? refusal.headers
      : refusal.retryAfter === null
        ? {}
        : { 'retry-after': String(refusal.retryAfter) },
  details: refusal instanceof HttpRefusal ? refusal.details : {},
});
