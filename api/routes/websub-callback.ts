/** /websub/{token}: what hubs of WebSub call, to verify a subscription and to say that a feed changed. */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DAY } from '../../language/days.ts';
import type { Database } from '../../log/postgres/database.ts';
import {
  confirmSubscription,
  denySubscription,
  noteDelivery,
  requestPoll,
  subscriptionByToken,
} from '../../log/postgres/poll-requests.ts';
import { VERIFICATION_WINDOW, WEBSUB_PATH, WEBSUB_TOKEN } from '../../schemas/poll.ts';

const MAXIMUM_BODY = 15 * 1_048_576;
const MINUTE = 60_000;
/** A longer lease is treated as this long. */
const MAXIMUM_LEASE = 30 * DAY;
const DEFAULT_LEASE = 10 * DAY;
/** The part of a lease after which it is renewed. */
const RENEW_AFTER = 0.8;

export interface CallbackLimits {
  /** Deliveries a minute to one callback. */
  readonly perToken: number;
  /** Calls a minute to all callbacks of this process. */
  readonly inAll: number;
  /** Deliveries that are read at once. */
  readonly atOnce: number;
}
export const CALLBACK_LIMITS: CallbackLimits = { perToken: 30, inAll: 1_200, atOnce: 16 };

interface CallbackOptions {
  /** The primary: the callback writes. */
  readonly database: Database;
  readonly now: () => Date;
  readonly limits?: CallbackLimits;
}

const Verification = z.object({
  'hub.mode': z.enum(['subscribe', 'unsubscribe', 'denied']),
  'hub.topic': z.string().max(2_048),
  'hub.challenge': z.string().min(1).max(2_048).optional(),
  'hub.lease_seconds': z.coerce.number().int().min(0).optional(),
  'hub.reason': z.string().max(2_048).optional(),
});

/**
 * SHA-1 is for hubs that know nothing else: a forged delivery would cost a poll, and HMAC does not rest on collisions.
 */
const Signature = /^(sha1|sha256|sha384|sha512)=([0-9a-f]{40,128})$/i;

type Called = FastifyRequest<{ Params: { token: string } }>;

/** Counts calls by minute in this process. */
function createCounter({ perToken, inAll }: CallbackLimits, now: () => Date): (token: string | null) => boolean {
  let minute = 0;
  let all = 0;
  let counts = new Map<string, number>();
  return (token) => {
    const current = Math.floor(now().getTime() / MINUTE);
    if (current !== minute) {
      minute = current;
      all = 0;
      counts = new Map();
    }
    if (token === null) {
      all += 1;
      return all <= inAll;
    }
    const count = (counts.get(token) ?? 0) + 1;
    counts.set(token, count);
    return count <= perToken;
  };
}

/**
 * Computes the signature while the body comes, so that no delivery is held in memory.
 * @returns null when the body is too large
 */
async function isSigned(body: AsyncIterable<Buffer>, secret: string, header: unknown): Promise<boolean | null> {
  const [, method = 'sha256', expected = ''] = Signature.exec(String(header)) ?? [];
  const hmac = createHmac(method.toLowerCase(), secret);
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAXIMUM_BODY) return null;
    hmac.update(chunk);
  }
  const computed = hmac.digest();
  const given = Buffer.from(expected, 'hex');
  return given.length === computed.length && timingSafeEqual(given, computed);
}

const wait = (reply: FastifyReply, status: 429 | 503): FastifyReply =>
  reply.code(status).header('retry-after', '60').type('text/plain; charset=utf-8').send('Try again later.\n');
const answer = (reply: FastifyReply, status: number, text = ''): FastifyReply =>
  reply.code(status).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(text);

/** Answers a hub that asks whether a subscription is wanted. */
async function verify(
  { database, now }: Pick<CallbackOptions, 'database' | 'now'>,
  request: Called,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { token } = request.params;
  const verification = Verification.safeParse(request.query);
  if (!verification.success || !WEBSUB_TOKEN.test(token)) return answer(reply, 404);
  const { 'hub.mode': mode, 'hub.topic': topic, 'hub.challenge': challenge, 'hub.reason': reason } = verification.data;
  const time = now().getTime();
  if (mode === 'denied') {
    const subscription = await subscriptionByToken(database, token);
    if (subscription?.topic !== topic) return answer(reply, 404);
    await denySubscription(database, { token, topic, reason: reason ?? 'denied by the hub' }, new Date(time + DAY));
    request.log.info({ source: subscription.source_id, hub: subscription.hub }, 'a hub denied a subscription');
    return answer(reply, 200);
  }
  // The service never unsubscribes: deliveries of an unwanted subscription are answered with 410.
  if (mode !== 'subscribe' || challenge === undefined) return answer(reply, 404);
  const requestedLease = (verification.data['hub.lease_seconds'] ?? 0) * 1_000;
  const lease = Math.min(requestedLease || DEFAULT_LEASE, MAXIMUM_LEASE);
  const isOurs = await confirmSubscription(
    database,
    { token, topic, requestedAfter: new Date(time - VERIFICATION_WINDOW) },
    { leaseExpiresAt: new Date(time + lease), renewAt: new Date(time + lease * RENEW_AFTER) },
  );
  return isOurs ? answer(reply, 200, challenge) : answer(reply, 404);
}

/** The callback as a plugin of the server. Its addresses cannot be guessed, so it needs no key. */
export function webSubCallback({ database, now, limits = CALLBACK_LIMITS }: CallbackOptions): FastifyPluginCallback {
  const mayCall = createCounter(limits, now);
  let reading = 0;

  async function deliver(request: Called, reply: FastifyReply): Promise<FastifyReply> {
    const { token } = request.params;
    if (!mayCall(null)) return wait(reply, 429);
    const subscription = WEBSUB_TOKEN.test(token) ? await subscriptionByToken(database, token) : null;
    // 410 informs a hub that the subscription has ended.
    if (subscription?.state !== 'active') return answer(reply, 410);
    if (!mayCall(token)) return wait(reply, 429);
    if (Number(request.headers['content-length'] ?? 0) > MAXIMUM_BODY) return answer(reply, 413);
    if (reading >= limits.atOnce) return wait(reply, 503);
    reading += 1;
    try {
      const signed = await isSigned(
        (request.body as AsyncIterable<Buffer> | undefined) ?? Readable.from([]),
        subscription.secret,
        request.headers['x-hub-signature'],
      );
      if (signed === null) return answer(reply, 413);
      if (signed) {
        await noteDelivery(database, token, now());
        await requestPoll(database, subscription.source_id, 'hub', now());
      } else request.log.info({ source: subscription.source_id }, 'a delivery without a valid signature was ignored');
      // The same answer for both, so that a caller cannot test signatures.
      return answer(reply, 202);
    } finally {
      reading -= 1;
    }
  }

  return (server, _options, done) => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    server.get<{ Params: { token: string } }>(`${WEBSUB_PATH}/:token`, async (request, reply) =>
      mayCall(null) ? verify({ database, now }, request, reply) : wait(reply, 429),
    );
    server.post<{ Params: { token: string } }>(`${WEBSUB_PATH}/:token`, { bodyLimit: MAXIMUM_BODY }, deliver);
    done();
  };
}
