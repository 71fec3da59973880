/** Connections that are made only to allowed addresses, checked on the very answer of the DNS that is connected to. */
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Agent, buildConnector } from 'undici';
import { PollError } from '../poll-error.ts';
import type { AllowAddress } from './addresses.ts';
import { RepairedSocket } from './repaired-socket.ts';

const refused = (host: string, ip: string): PollError =>
  new PollError(
    'address_refused',
    `${host} stands at ${ip}, an address that sources may not have; only public addresses are polled unless ALLOW_PRIVATE_SOURCES is set`,
  );

/**
 * Resolves names and lets only allowed addresses through. There is no second look-up between check and connection, so
 * a name that changes its answer gains nothing.
 */
export const guardedLookup =
  (port: number, allow: AllowAddress, lookup: typeof systemLookup = systemLookup): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 4);
      const allowed = found.filter(({ address }) => allow(address, port));
      const [first] = allowed;
      if (!first) return callback(refused(hostname, found[0]?.address ?? 'no address'), '', 4);
      if (options.all) return callback(null, allowed);
      callback(null, first.address, first.family);
    });
  };

/** How a connection is made; what is unset is the usual way. */
export interface ConnectionManner {
  /** Speak HTTP/1.1 with a server whose HTTP/2 is broken. */
  readonly avoidHttp2?: boolean;
  /** Repair the head of the response: see `RepairedSocket`. */
  readonly repairHead?: boolean;
}

/** Called once a connection is made, with what TLS agreed on: `h2` or `http/1.1`; null without TLS. */
export type OnConnected = (protocol: string | null) => void;

/**
 * An agent for one request to this address; close it afterwards, sources are polled too rarely to keep connections.
 * Over TLS it speaks HTTP/2 where the server prefers it. Every connection is made to an allowed address only.
 */
export function guardedAgent(
  url: URL,
  allow: AllowAddress,
  lookup?: typeof systemLookup,
  manner: ConnectionManner = {},
  onConnected: OnConnected = () => undefined,
): Agent {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const allowH2 = !manner.avoidHttp2 && !manner.repairHead;
  const connect = buildConnector({ timeout: 10_000, allowH2, lookup: guardedLookup(port, allow, lookup) });
  return new Agent({
    connections: 1,
    maxHeaderSize: 64 * 1024,
    // A literal address is never looked up, so it is checked here.
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) && !allow(host, port)) return callback(refused(options.hostname, host), null);
      connect(options, (...made) => {
        const [error, socket] = made;
        if (socket && 'alpnProtocol' in socket) onConnected(String(socket.alpnProtocol));
        if (error || !manner.repairHead) return callback(...made);
        // The client needs of a socket only what a stream has, and `ref` and `unref`.
        callback(null, new RepairedSocket(socket) as Duplex as Socket);
      });
    },
  });
}
