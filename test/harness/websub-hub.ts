/** A WebSub hub on loopback, as in the W3C recommendation: it verifies intent and signs deliveries. */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface HubSubscription {
  readonly callback: string;
  readonly topic: string;
  readonly secret: string;
}

export interface Hub {
  readonly url: string;
  /** The requests of subscribers. */
  readonly requests: readonly Record<string, string>[];
  /** Verified subscriptions by callback. */
  readonly verified: ReadonlyMap<string, HubSubscription>;
  /** The lease that it grants. */
  leaseSeconds: number;
  /** Answers subscribers with this status instead of accepting them. */
  refuseWith: number | null;
  /** Verifies a subscription; `change` falsifies the parameters. @returns the status and text of the subscriber */
  verify(subscription: HubSubscription, change?: Record<string, string>): Promise<{ status: number; text: string }>;
  /** Delivers a body to all verified subscribers. @returns their statuses */
  publish(topic: string, body: string, method?: string, secret?: string): Promise<number[]>;
  close(): Promise<void>;
}

/** Starts a hub. It verifies directly after its response, as most hubs do. */
export async function startHub(): Promise<Hub> {
  const requests: Record<string, string>[] = [];
  const verified = new Map<string, HubSubscription>();
  const verifying = new Set<Promise<unknown>>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const form = Object.fromEntries(new URLSearchParams(body));
    requests.push(form);
    if (hub.refuseWith) return response.writeHead(hub.refuseWith).end();
    response.writeHead(202).end();
    const subscription = {
      callback: form['hub.callback'] ?? '',
      topic: form['hub.topic'] ?? '',
      secret: form['hub.secret'] ?? '',
    };
    const verification = hub.verify(subscription).finally(() => verifying.delete(verification));
    verifying.add(verification);
  });
  const hub = {
    url: '',
    requests,
    verified,
    leaseSeconds: 864_000,
    refuseWith: null as number | null,
    async verify(subscription: HubSubscription, change: Record<string, string> = {}) {
      const challenge = `challenge-${requests.length}`;
      const asked = new URLSearchParams({
        'hub.mode': 'subscribe',
        'hub.topic': subscription.topic,
        'hub.challenge': challenge,
        'hub.lease_seconds': String(hub.leaseSeconds),
        ...change,
      });
      const answer = await fetch(`${subscription.callback}?${asked}`);
      const text = await answer.text();
      if (answer.ok && text === challenge) verified.set(subscription.callback, subscription);
      return { status: answer.status, text };
    },
    async publish(topic: string, body: string, method = 'sha256', secret?: string) {
      await Promise.allSettled(verifying);
      const subscribers = [...verified.values()].filter((subscription) => subscription.topic === topic);
      return Promise.all(
        subscribers.map(async ({ callback, secret: own }) => {
          const signature = createHmac(method, secret ?? own)
            .update(body)
            .digest('hex');
          const answer = await fetch(callback, {
            method: 'POST',
            body,
            headers: { 'content-type': 'application/rss+xml', 'x-hub-signature': `${method}=${signature}` },
          });
          return answer.status;
        }),
      );
    },
    async close() {
      await Promise.allSettled(verifying);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return hub;
}
