/** Why a poll failed, in a word for programs and a sentence that an operator can act on. */
export class PollError extends Error {
  override name = 'PollError';
  readonly code: string;
  /** The answer's status, null where none came. */
  readonly status: number | null;
  /** The server asked not to come back before this moment. */
  readonly retryAt: Date | null;
  constructor(code: string, message: string, about: { status?: number; retryAt?: Date | null } = {}) {
    super(message);
    this.code = code;
    this.status = about.status ?? null;
    this.retryAt = about.retryAt ?? null;
  }
}
