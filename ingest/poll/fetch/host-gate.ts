/** One request at once per host, and a rest between two: outlets notice a poller that hurries. */
import { pause } from '../../../log/backoff.ts';
import { isPublicAddress } from './addresses.ts';

interface Host {
  /** Settles when the last one that queued has left and the rest is over. */
  tail: Promise<void>;
  waiting: number;
}

export interface HostGate {
  /**
   * Waits for one's turn at a host.
   * @param restMs milliseconds of rest after this request, where the outlet asks for more than the usual
   * @returns what is to be called on leaving
   * @throws the signal's reason when it aborts
   */
  enter(hostname: string, signal: AbortSignal, restMs?: number): Promise<() => void>;
}

/** Milliseconds of rest at a host: none on one's own machine and network. */
export function restAt(hostname: string, rest: number): number {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return 0;
  const literal = /^[\d.]+$/.test(host) || host.includes(':');
  return literal && !isPublicAddress(host) ? 0 : rest;
}

/** A gate for a process. @param rest milliseconds between two requests to one host, 1,000 when unset */
export function hostGate({ rest = 1_000 }: { rest?: number } = {}): HostGate {
  const hosts = new Map<string, Host>();
  return {
    async enter(hostname, signal, restMs = 0) {
      const host = hosts.get(hostname) ?? { tail: Promise.resolve(), waiting: 0 };
      hosts.set(hostname, host);
      const { promise: left, resolve: leave } = Promise.withResolvers<void>();
      const before = host.tail;
      host.waiting += 1;
      host.tail = before
        .then(() => left)
        .then(() => pause(restAt(hostname, Math.max(rest, restMs)), signal))
        .then(() => {
          host.waiting -= 1;
          // A host that nobody waits for is forgotten, so that the map does not grow with every redirect.
          if (host.waiting === 0) hosts.delete(hostname);
        });
      await before;
      if (signal.aborted) {
        leave();
        throw signal.reason;
      }
      return leave;
    },
  };
}
