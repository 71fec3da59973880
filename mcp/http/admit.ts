/** Lets a request in: who calls, and which of its tool calls have room in their limits. */
import type { RequestId } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../access/identify-caller.ts';
import { limitHeaders, secondsLeft } from '../../access/quota/limit-answers.ts';
import { type Charge, tellingWindow } from '../../access/quota/limits.ts';
import { type Origin, type ToolCalls, toolLimitSentence } from '../../access/quota/tool-calls.ts';
import type { CallRefusal, ServedRequest } from './served-request.ts';

interface SentCall {
  readonly id: RequestId;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The tool calls in a message or a batch of them. */
export function callsIn(body: unknown): SentCall[] {
  return [body].flat().flatMap((message): SentCall[] => {
    if (!isRecord(message) || message.method !== 'tools/call') return [];
    const { id, params } = message;
    if (typeof id !== 'string' && typeof id !== 'number') return [];
    const meta = isRecord(params) && isRecord(params._meta) ? params._meta : undefined;
    return [{ id, meta }];
  });
}

/**
 * Whether two requests of a batch have the same id. Their answers could not be told apart, and one of them would be
 * charged or refused for the other: JSON-RPC 2.0 leaves it open, MCP forbids it.
 */
export function repeatsId(body: unknown): boolean {
  const ids = [body].flat().flatMap((message) => (isRecord(message) && 'method' in message ? (message.id ?? []) : []));
  return new Set(ids.map((id) => JSON.stringify(id))).size < ids.length;
}

const refusalOf = (charge: Charge, caller: Caller): CallRefusal => {
  const full = tellingWindow(charge);
  return {
    text: toolLimitSentence(charge, caller),
    meta: full
      ? { 'clarity/limit': { error: full.code, max: full.max, retry_after: secondsLeft(full, charge.at) } }
      : {},
  };
};

export interface Admitted {
  readonly served: ServedRequest;
  /** How the limits stand after it. */
  readonly headers: Record<string, string>;
}

/** Counts every tool call of the body; what has no room is refused alone. Other methods cost nothing. */
export async function admit(
  calls: ToolCalls,
  request: FastifyRequest,
  caller: Caller,
  body: unknown,
): Promise<Admitted> {
  const origin: Origin = { headers: request.headers, address: request.ip };
  const refusals = new Map<RequestId, CallRefusal>();
  const charged = new Map<RequestId, Charge>();
  let last: Charge | null = null;
  for (const { id, meta } of callsIn(body)) {
    last = await calls.count(caller, { ...origin, meta });
    if (last.fits) charged.set(id, last);
    else refusals.set(id, refusalOf(last, caller));
  }
  const served: ServedRequest = {
    caller,
    refusals,
    async failed(id, error) {
      request.log.error({ err: error, request_id: request.id }, 'a tool failed');
      const own = charged.get(id);
      charged.delete(id);
      if (own)
        await calls.giveBack(own).catch((failure) => request.log.error({ err: failure }, 'a call was not given back'));
      return `Something failed on our side; the call was not counted. Retry shortly; if it stays, quote request ${request.id}.`;
    },
  };
  return { served, headers: limitHeaders(last ?? (await calls.standing(caller, origin))) };
}
