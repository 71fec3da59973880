/** What a tool call needs to know of the HTTP request that carries it. */
import type { RequestId } from '@modelcontextprotocol/server';
import type { Caller } from '../../access/identify-caller.ts';

/** Why a call is not made, for the model that called. */
export interface CallRefusal {
  readonly text: string;
  readonly meta: Record<string, unknown>;
}

export interface ServedRequest {
  readonly caller: Caller;
  /** Calls without room in their limits, by the id of their message. */
  readonly refusals: ReadonlyMap<RequestId, CallRefusal>;
  /**
   * Logs an error that is ours and gives back what the call was charged.
   * @returns what the caller is told
   */
  failed(id: RequestId, error: unknown): Promise<string>;
}
