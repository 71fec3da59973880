/** Counts tool calls against the account, the session of a hosted assistant, or the address. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Queryable } from '../../log/postgres/database.ts';
import type { Assistant } from '../../schemas/access.ts';
import { recogniseAssistant } from '../hosted-assistants.ts';
import type { Caller } from '../identify-caller.ts';
import { charge, peek, refund } from './charge.ts';
import { howToGetMore } from './limit-answers.ts';
import {
  anonymousToolWindows,
  assistantWindows,
  CALLS,
  type Charge,
  type Counted,
  callWindows,
  reportedWindow,
  type Window,
} from './limits.ts';

const IST = { timeZone: 'Asia/Kolkata', hourCycle: 'h23' } as const;
const DAY = new Intl.DateTimeFormat('en-GB', { ...IST, day: 'numeric', month: 'long', year: 'numeric' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { ...IST, hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Rounded up to the second, so that a retry at that time is never too early. */
function istTime(at: Date): string {
  const up = new Date(Math.ceil(at.getTime() / 1_000) * 1_000);
  return `${CLOCK.format(up)} IST on ${DAY.format(up)}`;
}

function limitOf({ name, max }: Counted, { kind, plan }: Caller): string {
  if (name === 'assistant-day') return `the ${max} tool calls a day that all users of this assistant share`;
  const whose = kind === 'anonymous' ? 'without a key' : `of the ${plan === 'pro' ? 'Pro' : 'free'} plan`;
  return `the ${max} calls a ${name} ${whose}`;
}

/**
 * One sentence that names the time of the reset in IST.
 * @param charge one that did not fit
 */
export function toolLimitSentence(charge: Charge, caller: Caller): string {
  const full = reportedWindow(charge);
  if (!full) throw new RangeError('a call without windows always fits');
  const more = howToGetMore(caller, full).replace(/\.$/, '').replace(': ', ', as ').replace('. ', '; ');
  const limit = limitOf(full, caller);
  return `${limit.charAt(0).toUpperCase()}${limit.slice(1)} are used until ${istTime(full.endsAt)}; ${more.charAt(0).toLowerCase()}${more.slice(1)}.`;
}

/** Where a call comes from. */
export interface Origin {
  readonly headers: IncomingHttpHeaders;
  /** Network address of the caller, behind trusted proxies the one that they report. */
  readonly address: string;
  /** The `_meta` of the call. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Keys and signed-in users count for their account, on every surface together; only anonymous callers can be an
 * assistant.
 */
export function toolWindows(
  assistants: readonly Assistant[],
  { account, plan }: Caller,
  { headers, address, meta }: Origin,
): readonly Window[] {
  if (account !== null) return callWindows(account, CALLS[plan]);
  const from = recogniseAssistant(assistants, headers, address, meta);
  return from ? assistantWindows(from.assistant, from.session) : anonymousToolWindows(address);
}

export interface ToolCalls {
  /** Charges a call to all its windows, or to none when one is full. */
  count(caller: Caller, origin: Origin): Promise<Charge>;
  /** Refunds the charge of a call that failed with an internal error. */
  giveBack(charged: Charge): Promise<void>;
  /** Reads the state of the limits; charges nothing. */
  peek(caller: Caller, origin: Origin): Promise<Charge>;
}

/** @param assistants hosted ones, known by address and name together */
export function toolCalls(database: Queryable, assistants: readonly Assistant[]): ToolCalls {
  return {
    count: (caller, origin) => charge(database, toolWindows(assistants, caller, origin), null, caller.keyId),
    giveBack: async (charged) => void (await refund(database, charged)),
    peek: (caller, origin) => peek(database, toolWindows(assistants, caller, origin)),
  };
}
