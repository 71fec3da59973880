/** Counts tool calls: against the account, the session of a hosted assistant, or the address. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Queryable } from '../../log/postgres/database.ts';
import type { Assistant } from '../../schemas/assistant.ts';
import { recogniseAssistant } from '../assistants/recognise.ts';
import type { Caller } from '../caller.ts';
import { charge, peek, refund } from '../quota/charge.ts';
import { anonymousToolWindows, assistantWindows, CALLS, callWindows } from '../quota/limits.ts';
import type { Charge, Window } from '../quota/window.ts';

/** Where a call comes from. */
export interface Origin {
  readonly headers: IncomingHttpHeaders;
  /** Network address of the caller, behind trusted proxies the one that they tell. */
  readonly address: string;
  /** The `_meta` of the call. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Keys and people count for their account, on every surface together; only who is nobody else may be an assistant. */
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
  /** Gives back what was charged for an answer that failed on our side. */
  giveBack(charged: Charge): Promise<void>;
  /** How the limits stand; charges nothing. */
  standing(caller: Caller, origin: Origin): Promise<Charge>;
}

/** @param assistants hosted ones, known by address and name together */
export function toolCalls(database: Queryable, assistants: readonly Assistant[]): ToolCalls {
  return {
    count: (caller, origin) => charge(database, toolWindows(assistants, caller, origin), null, caller.keyId),
    giveBack: async (charged) => void (await refund(database, charged)),
    standing: (caller, origin) => peek(database, toolWindows(assistants, caller, origin)),
  };
}
