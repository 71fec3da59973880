/** Whose calls are counted together. */
import ipaddr from 'ipaddr.js';
import type { Caller } from '../caller.ts';

/**
 * A network address as it is counted: IPv4 as it is, also when it comes dressed as IPv6; of IPv6 the first 64 bits,
 * because the rest is its user's to choose. What is no address counts as one.
 */
export function countedAddress(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6)
    return `${parsed.parts
      .slice(0, 4)
      .map((part) => part.toString(16))
      .join(':')}::/64`;
  return parsed.toString();
}

/** An account by its id, everybody else by the address. */
export const subjectOf = ({ account }: Caller, address: string): string => account ?? `ip ${countedAddress(address)}`;
