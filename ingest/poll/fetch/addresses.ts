/** Which network addresses may be asked: a source, a redirect or a DNS answer must not reach into private networks. */
import ipaddr from 'ipaddr.js';

/** Decides on an address that a name resolved to, just before the connection is made. */
export type AllowAddress = (ip: string, port: number) => boolean;

/**
 * Where clouds answer their own machines alone, such as with credentials; never a source, not even where private
 * addresses are allowed. Some look public: Azure's 168.63.129.16, the service networks of IBM Cloud.
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

/** The only part of IPv6 that is assigned for the public internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** NAT64 with the well-known prefix: the IPv4 address is the last 32 bits (RFC 6052, section 2.1). */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

const isCloudInternal = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  CLOUD_INTERNAL.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));

const embedded = (address: ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 =>
  ipaddr.fromByteArray(address.toByteArray().slice(12));

/** The IPv4 or IPv6 address that is really meant: IPv4-mapped and NAT64 forms are unwrapped. */
function meant(ip: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (!ipaddr.isValid(ip)) return null;
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv6 && address.match(NAT64) ? embedded(address) : address;
}

/** An ISATAP interface id carries an IPv4 address to which a router may deliver the packet (RFC 5214, section 6.1). */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;

/**
 * True for an address of the public internet. Forms of IPv6 that carry an IPv4 address through a tunnel or a translator
 * (6to4, Teredo, ISATAP, local NAT64, IPv4-translated) are not public: nothing says where they end.
 */
export const isPublicAddress = (ip: string): boolean => {
  const address = meant(ip);
  if (address?.range() !== 'unicast' || isCloudInternal(address)) return false;
  return address instanceof ipaddr.IPv4 || (address.match(GLOBAL_UNICAST) && !isIsatap(address));
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
    if (!address || !PRIVATE.has(address.range()) || isCloudInternal(address)) return false;
    return exception(address.toString(), port);
  };
