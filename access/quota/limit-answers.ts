/** Limits in responses: the headers of every response, and the refusal of a call above a limit. */
import { Refusal } from '../../schemas/input-errors.ts';
import type { Caller } from '../identify-caller.ts';
import { CALLS, type Charge, type Counted, QUESTIONS_DAY, reportedWindow } from './limits.ts';

const left = ({ max, used }: Counted): number => Math.max(0, max - used);

/** The contract names the count under two spellings. */
const remaining = (calls: number): Record<string, string> => ({
  'x-ratelimit-remaining': String(calls),
  'x-rate-limit-remaining': String(calls),
});

/** Whole seconds until a window ends, rounded up, so that a retry after them is never too early. */
export const secondsLeft = ({ endsAt }: Counted, at: Date): number =>
  Math.max(1, Math.ceil((endsAt.getTime() - at.getTime()) / 1000));

/**
 * `X-RateLimit-*` and `X-Rate-Limit-Remaining` of the reported window, and all windows in `RateLimit` and
 * `RateLimit-Policy` as in draft-ietf-httpapi-ratelimit-headers-10. `X-RateLimit-Reset` is Unix time in
 * seconds, rounded up.
 */
export function limitHeaders(charge: Charge): Record<string, string> {
  const { windows, at } = charge;
  const reported = reportedWindow(charge);
  if (!reported) return {};
  return {
    'x-ratelimit-limit': String(reported.max),
    ...remaining(left(reported)),
    'x-ratelimit-reset': String(Math.ceil(reported.endsAt.getTime() / 1000)),
    'ratelimit-policy': windows.map(({ name, max, seconds }) => `"${name}";q=${max};w=${seconds}`).join(', '),
    ratelimit: windows.map((one) => `"${one.name}";r=${left(one)};t=${secondsLeft(one, at)}`).join(', '),
  };
}

/** For a caller who may not call at all: 0 calls, without a window. */
export const noCalls = (now: Date): Record<string, string> => ({
  'x-ratelimit-limit': '0',
  ...remaining(0),
  'x-ratelimit-reset': String(Math.ceil(now.getTime() / 1000)),
});

/** Days count as days, everything shorter as the minute: the contract knows these two. */
const DAY = 86_400;

function happened({ code, name, max }: Counted, seconds: number): string {
  if (code === 'ask_quota') return `The ${max} questions of the day are used, site and API together.`;
  if (code === 'quota_exhausted') return `The ${max} calls of the day are used.`;
  const where = name === 'minute' ? 'The minute' : `The limit of ${name}`;
  return `${where} is full: ${max} calls were made. Retry in ${seconds} seconds.`;
}

/** The sentence that says how to get more. */
export function howToGetMore(caller: Caller, { name, code }: Pick<Counted, 'name' | 'code'>): string {
  const { minute, day } = CALLS.pro;
  if (caller.kind === 'anonymous')
    return `Send an API key: calls with a key are counted separately. Free keys allow ${CALLS.free.day} calls a day, Pro keys ${day}.`;
  if (code === 'ask_quota')
    return `Pro allows ${QUESTIONS_DAY} questions a day; they come back when the window resets.`;
  if (name !== 'minute' && name !== 'day') return 'This limit is the same on every plan; wait until it resets.';
  if (caller.plan === 'free') return `Pro allows ${minute} calls a minute and ${day} calls a day.`;
  return 'Spread your calls, or write to support for more than Pro allows.';
}

/**
 * The refusal of a call that did not fit, with its headers and body as `RateLimited` of the contract.
 * @param upgrade address of the page of plans
 */
export function limitRefusal(charge: Charge, caller: Caller, upgrade: string): Refusal {
  const full = reportedWindow(charge);
  if (!full) throw new RangeError('a call without windows always fits');
  const retry_after = secondsLeft(full, charge.at);
  return new Refusal(
    full.code,
    happened(full, retry_after),
    // Automatic retries would fail until the window resets: `Retry-After` says when to call again.
    { ...limitHeaders(charge), 'retry-after': String(retry_after), 'x-should-retry': 'false' },
    {
      limit: { window: full.seconds >= DAY ? 'day' : 'minute', max: full.max, plan: caller.plan },
      retry_after,
      how_to_get_more: howToGetMore(caller, full),
      upgrade,
    },
  );
}
