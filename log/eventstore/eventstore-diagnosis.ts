/** Why a server is not reached. A connection of our own shows it: the client hides it behind its attempts to discover nodes. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Address } from './eventstore-connection.ts';

/** Milliseconds that one host has for its part of the handshake. */
const HANDSHAKE = 1_000;
const CERTIFICATE = /CERT|UNABLE_TO_|ISSUER/;
const REACHED = 'ok';

/** What a handshake with one host ends with: `ok`, or the code of its error; undefined when there is no answer. */
async function handshake(host: string, address: Address, ca: Buffer | undefined): Promise<string | undefined> {
  const [name = '', port = '2113'] = host.split(':');
  const server = isIP(name) ? {} : { servername: name };
  const socket = connect({ host: name, port: Number(port), ca, rejectUnauthorized: address.tls, ...server });
  // Also after the first outcome, which alone counts.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(HANDSHAKE) });
    return REACHED;
  } catch (error) {
    return (error as { code?: string }).code?.replace(/^ABORT_ERR$/, '') || undefined;
  } finally {
    socket.destroy();
  }
}

/** What hinders the connection to the first host where something does, with what to do; undefined where nothing is found. */
export async function findHindrance(address: Address): Promise<string | undefined> {
  const ca = address.caFile === undefined ? undefined : await readFile(address.caFile).catch(() => undefined);
  const outcomes = await Promise.all(
    address.hosts.map(async (host) => [host, await handshake(host, address, ca)] as const),
  );
  for (const [host, outcome] of outcomes) {
    if (outcome === REACHED && !address.tls)
      return `${host} speaks TLS, and EVENTSTORE_URL has tls=false: use tls=true`;
    if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(outcome ?? ''))
      return `${host}: ${outcome}`;
    if (!address.tls || outcome === REACHED || outcome === undefined) continue;
    if (CERTIFICATE.test(outcome))
      return (
        `the certificate of ${host} cannot be trusted (${outcome}): name the certificate of its authority by tlsCAFile, ` +
        'and the host as the certificate does'
      );
    return `${host} does not speak TLS (${outcome}), and EVENTSTORE_URL has no tls=false`;
  }
  return undefined;
}
