/**
 * Counts tool calls against the account, the session of a hosted assistant, or the address; and which assistants are
 * hosted.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';
import { parse } from 'yaml';
import { messageOf } from '../../log/errors.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import { type Assistant, AssistantList } from '../../schemas/access.ts';
import { quoted } from '../../schemas/input-errors.ts';
import type { Caller } from '../caller.ts';
import { charge, peek, refund } from './charge.ts';
import {
  anonymousToolWindows,
  assistantWindows,
  CALLS,
  type Charge,
  type Counted,
  callWindows,
  howToGetMore,
  reportedWindow,
  type Window,
} from './limits.ts';

/** The list cannot be used; the message names file, field, value and what is allowed. */
export class AssistantListError extends Error {
  override name = 'AssistantListError';
}

/** The value at a path of a document, for a message. */
const at = (document: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], document);

/**
 * @param file such as `deploy/assistants.yaml`
 * @throws AssistantListError, or the system's error when there is no such file
 */
export async function loadAssistants(file: string): Promise<readonly Assistant[]> {
  const text = await readFile(file, 'utf8');
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    throw new AssistantListError(`${file} is no YAML: ${messageOf(error)}`);
  }
  const read = AssistantList.safeParse(document);
  if (read.success) return read.data.assistants;
  const lines = read.error.issues.map(
    ({ path, message }) => `${file}, ${path.join('.') || 'document'}: ${quoted(at(document, path))}: ${message}`,
  );
  throw new AssistantListError(lines.join('\n'));
}

interface FromAssistant {
  /** Such as `claude`. */
  readonly assistant: string;
  /** Its session, as a hash, because the text is untrusted. Null without a session. */
  readonly session: string | null;
}

const isInRange = (address: string, range: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const [parsed, [network, bits]] = [ipaddr.process(address), ipaddr.parseCIDR(range)];
  return parsed.kind() === network.kind() && parsed.match(network, bits);
};

/** Whether the User-Agent (RFC 9110, 10.1.5) contains the product; without a version, in any version. */
const names = (userAgent: string, name: string): boolean =>
  userAgent.split(/[\s();,]+/).some((product) => product === name || product.startsWith(`${name}/`));

const hashed = (session: string): string => createHash('sha256').update(session).digest('hex').slice(0, 16);

/**
 * Recognises an assistant by its User-Agent and its published addresses together: either alone can be imitated.
 * @param address network address of the caller, behind trusted proxies the one that they report
 * @param meta the `_meta` of the tool call
 * @returns null for other callers
 */
export function recogniseAssistant(
  assistants: readonly Assistant[],
  headers: IncomingHttpHeaders,
  address: string,
  meta: Readonly<Record<string, unknown>> = {},
): FromAssistant | null {
  const userAgent = headers['user-agent'] ?? '';
  const assistant = assistants.find(
    ({ user_agent, addresses }) => names(userAgent, user_agent) && addresses.some((range) => isInRange(address, range)),
  );
  if (!assistant) return null;
  const named = [
    ...assistant.session_headers.map((name) => headers[name]),
    ...assistant.session_meta.map((name) => meta[name]),
  ].find((value): value is string => typeof value === 'string' && value !== '');
  return { assistant: assistant.id, session: named === undefined ? null : hashed(named) };
}

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
