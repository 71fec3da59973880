/** Limit headers on answers of MCP that come before or besides a tool call, such as 401, 403 and 405. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Identify } from '../../access/identify-caller.ts';
import { limitHeaders, noCalls } from '../../access/quota/limit-answers.ts';
import type { ToolCalls } from '../../access/quota/tool-calls.ts';

interface LimitParts {
  readonly identify: Identify;
  readonly calls: Pick<ToolCalls, 'standing'>;
  readonly baseUrl: string;
  readonly now: () => Date;
}

/** Adds them where `admit` did not. A caller who is not let in has no calls; everybody else is charged nothing. */
export function limitsOnEveryAnswer(server: FastifyInstance, { identify, calls, baseUrl, now }: LimitParts): void {
  const standing = async (request: FastifyRequest): Promise<Record<string, string>> => {
    const caller = await identify(request.headers, `${baseUrl}${request.routeOptions.url ?? '/mcp'}`);
    return limitHeaders(await calls.standing(caller, { headers: request.headers, address: request.ip }));
  };
  server.addHook('onSend', async (request, reply, payload) => {
    if (reply.hasHeader('x-ratelimit-limit') || request.method === 'OPTIONS') return payload;
    const isShut = reply.statusCode === 401 || reply.statusCode >= 500;
    reply.headers(isShut ? noCalls(now()) : await standing(request).catch(() => noCalls(now())));
    return payload;
  });
}
