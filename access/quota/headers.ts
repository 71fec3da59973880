/** What every answer says about its limits. */
import { type Charge, type Counted, tellingWindow } from './window.ts';

const left = ({ max, used }: Counted): number => Math.max(0, max - used);

/** The contract names the count under two spellings. */
const remaining = (calls: number): Record<string, string> => ({
  'x-ratelimit-remaining': String(calls),
  'x-rate-limit-remaining': String(calls),
});

/** Whole seconds until a window ends, rounded up, so that whoever waits so long has waited enough. */
export const secondsLeft = ({ endsAt }: Counted, at: Date): number =>
  Math.max(1, Math.ceil((endsAt.getTime() - at.getTime()) / 1000));

/**
 * `X-RateLimit-*` and `X-Rate-Limit-Remaining` of the telling window, and all windows in `RateLimit` and `RateLimit-Policy` as
 * draft-ietf-httpapi-ratelimit-headers-10 has them. `X-RateLimit-Reset` is Unix time in seconds, rounded up.
 */
export function limitHeaders(charge: Charge): Record<string, string> {
  const { windows, at } = charge;
  const telling = tellingWindow(charge);
  if (!telling) return {};
  return {
    'x-ratelimit-limit': String(telling.max),
    ...remaining(left(telling)),
    'x-ratelimit-reset': String(Math.ceil(telling.endsAt.getTime() / 1000)),
    'ratelimit-policy': windows.map(({ name, max, seconds }) => `"${name}";q=${max};w=${seconds}`).join(', '),
    ratelimit: windows.map((one) => `"${one.name}";r=${left(one)};t=${secondsLeft(one, at)}`).join(', '),
  };
}

/** For a caller who may not call at all: no calls, in no window. */
export const noCalls = (now: Date): Record<string, string> => ({
  'x-ratelimit-limit': '0',
  ...remaining(0),
  'x-ratelimit-reset': String(Math.ceil(now.getTime() / 1000)),
});
