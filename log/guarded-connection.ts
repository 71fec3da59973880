/** Connections to allowed addresses only, checked on the DNS answer that is connected to. */

import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';

// Which addresses are allowed: a source, a redirect or a DNS answer must not reach private networks.

/** Decides on an address that a name resolved to, just before the connection is made. */
export type AllowAddress = (ip: string, port: number) => boolean;

/**
 * Internal services of cloud providers, such as for credentials; never a source, not even where private addresses are
 * allowed. Some look public: Azure's 168.63.129.16, the service networks of IBM Cloud.
 */
const CLOUD_INTERNAL: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][] = [
  '100.100.100.200/32',
  '161.26.0.0/16',
  '166.8.0.0/14',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '192.0.0.0/24',
  'fd00:42::42/128',
  'fd00:a9fe:a9fe::/48',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
].map((range) => ipaddr.parseCIDR(range));

/** The range of IPv6 that is assigned for the public internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** NAT64 with the well-known prefix: the IPv4 address is the last 32 bits (RFC 6052, section 2.1). */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

const isCloudInternal = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  CLOUD_INTERNAL.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));

const embeddedIpv4 = (address: ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 =>
  ipaddr.fromByteArray(address.toByteArray().slice(12));

/** The address that is connected to: IPv4-mapped and NAT64 forms are unwrapped. */
function effectiveAddress(ip: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (!ipaddr.isValid(ip)) return null;
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv6 && address.match(NAT64) ? embeddedIpv4(address) : address;
}

/** An ISATAP interface id carries an IPv4 address to which a router may deliver the packet (RFC 5214, section 6.1). */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;

/**
 * True for an address of the public internet. Forms of IPv6 that carry an IPv4 address through a tunnel or a translator
 * (6to4, Teredo, ISATAP, local NAT64, IPv4-translated) are not public: their destination is unknown.
 */
export const isPublicAddress = (ip: string): boolean => {
  const address = effectiveAddress(ip);
  if (address?.range() !== 'unicast' || isCloudInternal(address)) return false;
  return address instanceof ipaddr.IPv4 || (address.match(GLOBAL_UNICAST) && !isIsatap(address));
};

/** Also for an address of IPv4 that is written as one of IPv6. */
export const isLoopbackAddress = (ip: string): boolean => effectiveAddress(ip)?.range() === 'loopback';

const PRIVATE = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);

/**
 * The rule of a process: public addresses are allowed, those of private networks and loopback where `exception` allows
 * them, and link-local, multicast and metadata ones never.
 */
export const createAddressRule =
  (exception: AllowAddress): AllowAddress =>
  (ip, port) => {
    if (isPublicAddress(ip)) return true;
    const address = effectiveAddress(ip);
    if (!address || !PRIVATE.has(address.range()) || isCloudInternal(address)) return false;
    return exception(address.toString(), port);
  };

/** Names that lead into private networks (RFC 6761, 6762, 8375, `.internal` of ICANN), and names without a dot. */
const LOCAL_NAME = /^[^.]+$|(?:^|\.)(?:localhost|local|internal|lan|localdomain|home\.arpa)$/i;
/** Names of the metadata services of cloud providers. */
const METADATA_NAME = /^(?:instance-data|metadata)(?:$|\.)/i;

/**
 * Whether an address that somebody typed may be that of a source, by its host as it is written. It is a first check, which
 * resolves no name: what a name resolves to is checked at each connection.
 * @param allowPrivate the setting ALLOW_PRIVATE_SOURCES; metadata services stay refused
 */
export function mayBeSourceAddress(address: string, allowPrivate: boolean): boolean {
  const host = URL.parse(address)
    ?.hostname.replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  if (!host) return false;
  if (isIP(host)) return createAddressRule(() => allowPrivate)(host, 0);
  return !METADATA_NAME.test(host) && (allowPrivate || !LOCAL_NAME.test(host));
}

const MAX_HEAD_BYTES = 64 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Makes one Content-Length of several that agree, as in `Content-Length: 5` twice or `Content-Length: 5, 5`. RFC 9112,
 * 6.3 lets a recipient do so; the parser refuses them. Lengths that differ stay as they are, for the parser to refuse.
 * @param head from the status line to the empty line, as latin1
 */
export function mergeContentLengths(head: string): string {
  const lines = head.split('\r\n');
  const isLength = (line: string): boolean => /^content-length\s*:/i.test(line);
  const values = lines.filter(isLength).flatMap((line) => line.slice(line.indexOf(':') + 1).split(','));
  const [first = '', ...others] = values.map((value) => value.trim());
  if (!/^\d+$/.test(first) || others.some((value) => value !== first)) return head;
  return lines
    .flatMap((line, place) =>
      isLength(line) ? (place === lines.findIndex(isLength) ? [`Content-Length: ${first}`] : []) : [line],
    )
    .join('\r\n');
}

/** A connection that repairs the heads of HTTP/1.1 responses up to the first final one, before the parser reads them. */
class RepairedSocket extends Duplex {
  readonly #socket: Socket;
  /** The head as far as it was received; null after its end. */
  #head: Buffer | null = Buffer.alloc(0);

  constructor(socket: Socket) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('end', () => {
      if (this.#head) this.push(this.#head);
      this.push(null);
    });
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  #take(chunk: Buffer): void {
    let head = this.#head ? Buffer.concat([this.#head, chunk]) : chunk;
    while (this.#head) {
      const end = head.indexOf(END_OF_HEAD);
      if (end < 0 && head.length <= MAX_HEAD_BYTES) {
        this.#head = head;
        return;
      }
      this.#head = null;
      if (end < 0) break;
      const text = head.subarray(0, end + END_OF_HEAD.length).toString('latin1');
      this.#pass(Buffer.from(mergeContentLengths(text), 'latin1'));
      head = head.subarray(end + END_OF_HEAD.length);
      // An informational response is followed by the final one.
      if (/^HTTP\/1\.[01] 1\d\d/.test(text)) this.#head = Buffer.alloc(0);
    }
    this.#pass(head);
  }

  #pass(chunk: Buffer): void {
    if (chunk.length > 0 && !this.push(chunk)) this.#socket.pause();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  /** What an HTTP client calls on a socket beyond a stream. */
  ref(): this {
    this.#socket.ref();
    return this;
  }

  unref(): this {
    this.#socket.unref();
    return this;
  }
}

/** A name resolves to no address that is allowed. */
export class AddressRefused extends Error {
  override name = 'AddressRefused';
  constructor(host: string, ip: string) {
    super(
      `${host} resolves to ${ip}, which sources may not use; only public addresses are polled unless ALLOW_PRIVATE_SOURCES is set`,
    );
  }
}

/**
 * Resolves names to allowed addresses only. There is no second lookup between check and connection, so a name that
 * changes its answer has no effect.
 */
const createGuardedLookup =
  (port: number, allow: AllowAddress, lookup: typeof systemLookup = systemLookup): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 4);
      const allowed = addresses.filter(({ address }) => allow(address, port));
      const [first] = allowed;
      if (!first) return callback(new AddressRefused(hostname, addresses[0]?.address ?? 'no address'), '', 4);
      if (options.all) return callback(null, allowed);
      callback(null, first.address, first.family);
    });
  };

/** How a connection is made. */
export interface ConnectionMode {
  /** Use HTTP/1.1 with a server whose HTTP/2 is broken. */
  readonly avoidHttp2?: boolean;
  /** Repair the head of the response: see `RepairedSocket`. */
  readonly repairHead?: boolean;
}

/** Called once a connection is made, with the protocol that TLS negotiated: `h2` or `http/1.1`; null without TLS. */
export type OnConnected = (protocol: string | null) => void;

/**
 * An agent for one request to this address; close it afterwards: sources are polled too rarely to keep connections.
 * Over TLS it uses HTTP/2 where the server prefers it. It connects to allowed addresses only.
 */
export function createGuardedAgent(
  url: URL,
  allow: AllowAddress,
  lookup?: typeof systemLookup,
  manner: ConnectionMode = {},
  onConnected: OnConnected = () => undefined,
): Agent {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const allowH2 = !manner.avoidHttp2 && !manner.repairHead;
  const connect = buildConnector({ timeout: 10_000, allowH2, lookup: createGuardedLookup(port, allow, lookup) });
  return new Agent({
    connections: 1,
    maxHeaderSize: 64 * 1024,
    // A literal address is never looked up, so it is checked here.
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) && !allow(host, port)) return callback(new AddressRefused(options.hostname, host), null);
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
