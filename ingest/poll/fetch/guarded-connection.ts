/** Connections that are made only to allowed addresses, checked on the very answer of the DNS that is connected to. */
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { PollError } from '../poll-error.ts';
import type { AllowAddress } from './addresses.ts';

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

/** An agent for one request to this address; close it afterwards, sources are polled too rarely to keep connections. */
export function guardedAgent(url: URL, allow: AllowAddress, lookup?: typeof systemLookup): Agent {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const connect = buildConnector({ timeout: 10_000, allowH2: false, lookup: guardedLookup(port, allow, lookup) });
  return new Agent({
    connections: 1,
    maxHeaderSize: 64 * 1024,
    // A literal address is never looked up, so it is checked here.
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) && !allow(host, port)) return callback(refused(options.hostname, host), null);
      connect(options, callback);
    },
  });
}
