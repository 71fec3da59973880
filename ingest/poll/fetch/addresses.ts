/** Which network addresses may be asked: a source, a redirect or a DNS answer must not reach into private networks. */
import ipaddr from 'ipaddr.js';

/** Decides on an address that a name resolved to, just before the connection is made. */
export type AllowAddress = (ip: string, port: number) => boolean;

/** Where clouds tell a machine its own credentials; never a source, not even where private ones are allowed. */
const METADATA = new Set(['169.254.169.254', '169.254.170.2', 'fd00:ec2::254', '100.100.100.200', '192.0.0.192']);

/** The IPv4 or IPv6 address that is really meant: IPv4-mapped and NAT64 forms are unwrapped. */
function meant(ip: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (!ipaddr.isValid(ip)) return null;
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv6' && address.range() === 'rfc6052')
    return ipaddr.fromByteArray(address.toByteArray().slice(12));
  return address;
}

/** True for an address of the public internet. */
export const isPublicAddress = (ip: string): boolean => {
  const address = meant(ip);
  return address?.range() === 'unicast' && !METADATA.has(address.toString());
};

/** Also for an address of IPv4 that is written as one of IPv6. */
export const isLoopbackAddress = (ip: string): boolean => meant(ip)?.range() === 'loopback';

const PRIVATE = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);

/**
 * The rule of a process: public addresses are allowed, those of private networks and loopback when `exception` says
 * so, and link-local, multicast and metadata ones never.
 */
export const addressRule =
  (exception: AllowAddress): AllowAddress =>
  (ip, port) => {
    if (isPublicAddress(ip)) return true;
    const address = meant(ip);
    if (!address || !PRIVATE.has(address.range()) || METADATA.has(address.toString())) return false;
    return exception(address.toString(), port);
  };
