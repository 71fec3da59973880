/** Every limit of the service, and which windows a call is counted in. */
import ipaddr from 'ipaddr.js';
import type { AccountId, Plan } from '../../schemas/access.ts';
import type { ErrorCode } from '../../schemas/resources.ts';
import type { Caller } from '../identify-caller.ts';

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
