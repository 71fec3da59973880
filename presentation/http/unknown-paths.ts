/** Errors for unknown paths (404) and for methods that a path lacks (405). */
import type { FastifyInstance } from 'fastify';
import type { Authorise } from '../../access/authorise.ts';
import { Refusal } from '../../schemas/input-errors.ts';

/** A route pattern such as `/signals/:slug` as an expression over a path, without regard to a slash at its end. */
const patternOf = (url: string): RegExp => {
  const escaped = url
    .replace(/\/$/, '')
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:[A-Za-z_]+/g, '[^/]+')
    .replace(/\*/g, '.*');
  return new RegExp(`^${escaped}/?$`);
};

/** Paths of the API that answer callers without a key. */
const ANONYMOUS_PATHS = /^\/api\/v1\/(ask|sources\/propose|sources\/health)\/?$/;

/**
 * Refuses what no route takes before its body is read: 405 with `Allow` when the path has other methods, else 404.
 * `OPTIONS` is answered with `Allow`. Under `/api/` the key is checked first and the call counts, as at any other path;
 * at a path that anonymous callers may use, they may also learn which methods it has.
 * Must be called before the routes are registered.
 * @param authorise guards the paths under `/api/`; unset where there are none
 */
export function unknownPaths(server: FastifyInstance, authorise?: Authorise): void {
  const guards = authorise && { known: authorise('known'), anonymous: authorise('anonymous') };
  const methodsOf = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  server.addHook('onRoute', ({ url, method }) => {
    const known = methodsOf.get(url) ?? { pattern: patternOf(url), methods: new Set(['OPTIONS']) };
    for (const one of [method].flat()) known.methods.add(one);
    methodsOf.set(url, known);
  });
  server.addHook('onRequest', async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    // A route with a parameter takes the methods that a path in full lacks: DELETE /follow/inbox is no follow called "inbox".
    const isOther = request.routeOptions.url !== path && methodsOf.get(path)?.methods.has(request.method) === false;
    if (!request.is404 && !isOther) return;
    const exact = methodsOf.get(path);
    const allowed = isOther && exact ? [exact] : [...methodsOf.values()].filter(({ pattern }) => pattern.test(path));
    if (guards && /^\/api(\/|$)/.test(path))
      await guards[ANONYMOUS_PATHS.test(path) ? 'anonymous' : 'known'](request, reply);
    if (allowed.length === 0) throw new Refusal('not_found', 'There is nothing at this address.');
    const allow = [...new Set(allowed.flatMap(({ methods }) => [...methods]))].sort().join(', ');
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow).send();
    throw new Refusal('method_not_allowed', `${request.method} is not allowed here. Allowed: ${allow}.`, { allow });
  });
}
