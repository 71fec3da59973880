/**
 * Every limit of the service, which windows a call is counted in, and how responses state them: the headers of every
 * response, and the refusal of a call above a limit.
 */
import ipaddr from 'ipaddr.js';
import type { AccountId, Plan } from '../../schemas/access.ts';
import type { ErrorCode } from '../../schemas/resources.ts';
import type { Caller } from '../caller.ts';
import { HttpRefusal } from '../http-refusal.ts';

export interface Window {
  /** Whose window it is and which, such as `acc_0123456789abcdef day`. */
  readonly key: string;
  /** Its name in the headers, such as `minute`. */
  readonly name: string;
  readonly max: number;
  readonly seconds: number;
  /** The answer when it is full. */
  readonly code: Extract<ErrorCode, 'rate_limited' | 'quota_exhausted' | 'ask_quota'>;
}

/** A window as a call left it. */
export interface Counted extends Window {
  readonly used: number;
  readonly endsAt: Date;
}

export interface Charge {
  /** False: a window was full, and nothing was charged. */
  readonly fits: boolean;
  /** In the order of precedence. */
  readonly windows: readonly Counted[];
  /** The time at which it was counted. */
  readonly at: Date;
  /** The key that called; null for a call without one. */
  readonly keyId?: string | null;
}

/**
 * The window that `X-RateLimit-*` and messages report: the one that rejected the call, else the day, else the first.
 */
export const reportedWindow = ({ fits, windows }: Charge): Counted | undefined =>
  (fits ? undefined : windows.find(({ used, max }) => used >= max)) ??
  windows.find(({ name }) => name === 'day') ??
  windows[0];

/**
 * A network address as it is counted: IPv4 as it is, also when it is mapped into IPv6; of IPv6 the first 64 bits,
 * because users choose the rest. All invalid addresses count as one.
 */
export function countedAddress(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6)
    return `${parsed.parts
      .slice(0, 4)
      .map((part) => part.toString(16))
      .join(':')}::/64`;
  return parsed.toString();
}

/** An account by its id, other callers by the address. */
export const subjectOf = ({ account }: Caller, address: string): string => account ?? `ip ${countedAddress(address)}`;

interface Rate {
  readonly max: number;
  readonly seconds: number;
}

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** Calls of an account, all keys and both surfaces together. */
export const CALLS: Readonly<Record<Plan, { readonly minute: number; readonly day: number }>> = {
  free: { minute: 30, day: 100 },
  pro: { minute: 60, day: 5_000 },
};

/** Calls without a key in an assistant, per address. */
export const ANONYMOUS_MCP = { minute: 30, day: 50 };
/** All sessions of one hosted assistant together. */
const ASSISTANT_DAY = 2_000;
/** Questions of an account, on the site and the API together. */
export const QUESTIONS_DAY = 200;

/** Limits of single endpoints: per address for anonymous callers, per account for others. */
const ENDPOINTS: Readonly<Record<string, Rate & { readonly name: string }>> = {
  '/api/v1/ask': { name: 'ask', max: 30, seconds: MINUTE },
  '/api/v1/research': { name: 'research', max: 5, seconds: 5 * MINUTE },
  '/api/v2/research': { name: 'research', max: 5, seconds: 5 * MINUTE },
  '/api/v1/sources/propose': { name: 'propose', max: 3, seconds: HOUR },
  // The form of the pages and the call are counted together.
  '/sources/propose': { name: 'propose', max: 3, seconds: HOUR },
  '/signal/:slug/report': { name: 'mistakes', max: 10, seconds: HOUR },
  '/api/v1/sources/health': { name: 'sources-health', max: 60, seconds: MINUTE },
};

/**
 * Managing keys has its own limit: the owner of a stolen key that used up the quota must still be able to revoke it.
 */
const MANAGING: Rate = { max: 30, seconds: MINUTE };
/** For surfaces without a limit of their own, such as public documents. */
const PUBLIC: Rate = { max: 60, seconds: MINUTE };

/** What is called: a route of the API by its pattern. */
interface Surface {
  readonly method: string;
  readonly path: string;
  /** False when the call will be refused for its scope or plan: it counts as a call, but not as a question. */
  readonly question: boolean;
}

const window = (
  whose: string,
  name: string,
  { max, seconds }: Rate,
  code: Window['code'] = 'rate_limited',
): Window => ({
  key: `${whose} ${name}`,
  name,
  max,
  seconds,
  code,
});

/** The two windows of an account's calls, which REST and MCP share. */
export const callWindows = (whose: string, { minute, day }: { minute: number; day: number }): readonly Window[] => [
  window(whose, 'minute', { max: minute, seconds: MINUTE }),
  window(whose, 'day', { max: day, seconds: DAY }, 'quota_exhausted'),
];

/**
 * The windows of a call to the REST API in the order of precedence: minute, the endpoint's own, day, questions.
 * @param address the caller's network address, which identifies anonymous callers
 */
export function restWindows(caller: Caller, address: string, { method, path, question }: Surface): readonly Window[] {
  const whose = subjectOf(caller, address);
  // Reading a finished briefing is a call like any other; making one is expensive.
  const own = path.endsWith('/research') && method !== 'POST' ? undefined : ENDPOINTS[path];
  const endpoint = own ? [window(whose, own.name, own)] : [];
  if (caller.kind === 'anonymous') return own ? endpoint : [window(whose, 'anonymous', PUBLIC)];
  if (path.startsWith('/api/v1/keys')) return [window(whose, 'keys', MANAGING)];
  const [minute, day] = callWindows(whose, CALLS[caller.plan]) as [Window, Window];
  const questions = question ? [window(whose, 'questions', { max: QUESTIONS_DAY, seconds: DAY }, 'ask_quota')] : [];
  return [minute, ...endpoint, day, ...questions];
}

/**
 * The window of a sign-in that begins on the pages: each is stored until it ends, so their number per address is
 * limited.
 */
export const signInWindows = (address: string): readonly Window[] => [
  window(`ip ${countedAddress(address)}`, 'sign-in', MANAGING),
];

/**
 * The window of pages, feeds and files: of the account of a signed-in reader, else of the network address.
 * @param max a minute
 */
export const pageWindows = (account: AccountId | null, address: string, max: number): readonly Window[] => [
  window(account ?? `ip ${countedAddress(address)}`, 'pages', { max, seconds: MINUTE }),
];

/** The window of programs that register themselves at the embedded issuer. */
export const registrationWindows = (address: string): readonly Window[] => [
  window(`ip ${countedAddress(address)}`, 'registration', MANAGING),
];

/** The windows of an anonymous tool call in an assistant. */
export const anonymousToolWindows = (address: string): readonly Window[] =>
  callWindows(`mcp ip ${countedAddress(address)}`, ANONYMOUS_MCP);

/** The windows of a tool call from a hosted assistant: its session's own where it names one, and the shared day. */
export const assistantWindows = (assistant: string, session: string | null): readonly Window[] => [
  ...(session === null ? [] : callWindows(`mcp ${assistant} ${session}`, ANONYMOUS_MCP)),
  window(`mcp ${assistant}`, 'assistant-day', { max: ASSISTANT_DAY, seconds: DAY }, 'quota_exhausted'),
];

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

/** What a refusal tells its reader. */
interface LimitWords {
  /** @param seconds until the window resets */
  message(full: Counted, seconds: number): string;
  readonly plan: Plan;
  howToGetMore(full: Counted): string;
}

/** The refusal of a call that did not fit, with its headers and body as `RateLimited` of the contract. */
function refusalOf(charge: Charge, { message, plan, howToGetMore }: LimitWords, upgrade: string): HttpRefusal {
  const full = reportedWindow(charge);
  if (!full) throw new RangeError('a call without windows always fits');
  const retry_after = secondsLeft(full, charge.at);
  return new HttpRefusal(
    full.code,
    message(full, retry_after),
    // Automatic retries would fail until the window resets: `Retry-After` says when to call again.
    { ...limitHeaders(charge), 'retry-after': String(retry_after), 'x-should-retry': 'false' },
    {
      // The contract knows minute and day: the nearer of them, and its seconds.
      limit: { window: full.seconds >= HOUR ? 'day' : 'minute', seconds: full.seconds, max: full.max, plan },
      retry_after,
      how_to_get_more: howToGetMore(full),
      upgrade,
    },
  );
}

/** The refusal of a call to the API. @param upgrade address of the page of plans */
export const limitRefusal = (charge: Charge, caller: Caller, upgrade: string): HttpRefusal =>
  refusalOf(
    charge,
    { message: happened, plan: caller.plan, howToGetMore: (full) => howToGetMore(caller, full) },
    upgrade,
  );

/** The refusal of a page. @param account null where the network address counts */
export const pageRefusal = (charge: Charge, account: AccountId | null, upgrade: string): HttpRefusal =>
  refusalOf(
    charge,
    {
      message: ({ max }, seconds) =>
        `More than ${max} pages a minute were opened ${account === null ? 'from this address' : 'by this account'}. Try again in ${seconds} seconds.`,
      plan: 'free',
      howToGetMore: () => 'Programs use the API with a key; its calls are counted separately from pages.',
    },
    upgrade,
  );
