/** 404 and 405 in the one form of errors. */
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../schemas/refusal.ts';

/** A route pattern such as `/signals/:slug` as an expression over a path, without regard to a slash at its end. */
const patternOf = (url: string): RegExp => {
  const escaped = url
    .replace(/\/$/, '')
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:[A-Za-z_]+/g, '[^/]+')
    .replace(/\*/g, '.*');
  return new RegExp(`^${escaped}/?$`);
};

/**
 * Refuses what no route takes before its body is read: 405 with `Allow` when the path has other methods, else 404.
 * `OPTIONS` is answered with `Allow`.
 * Must be called before the routes are registered.
 */
export function unknownPaths(server: FastifyInstance): void {
  const methodsOf = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  server.addHook('onRoute', ({ url, method }) => {
    const known = methodsOf.get(url) ?? { pattern: patternOf(url), methods: new Set(['OPTIONS']) };
    for (const one of [method].flat()) known.methods.add(one);
    methodsOf.set(url, known);
  });
  server.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = [...methodsOf.values()].filter(({ pattern }) => pattern.test(path));
    if (allowed.length === 0) throw new Refusal('not_found', 'There is nothing at this address.');
    const allow = [...new Set(allowed.flatMap(({ methods }) => [...methods]))].sort().join(', ');
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow).send();
    throw new Refusal('method_not_allowed', `${request.method} is not allowed here. Allowed: ${allow}.`, { allow });
  });
}
