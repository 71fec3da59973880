/** Which sources have the same address, however it is written. */
import type { Source } from '../../schemas/source.ts';
import type { Roster } from './fold-sources.ts';

/**
 * What two addresses of one feed have in common: the host without `www.`, path and query. The scheme, a default port,
 * credentials, a fragment and a slash at the end of the path make no other feed. Text that is no address stays as it is.
 */
export function addressKey(address: string): string {
  const url = URL.parse(address);
  if (!url) return address;
  return `${url.host.replace(/^www\./, '')}${url.pathname.replace(/\/+$/, '')}${url.search}`;
}

/** The source of the roster, retired ones left out, that has one of these addresses; null when none has. */
export const sourceAtAddress = (roster: Roster, addresses: readonly string[]): Source | null =>
  atAddress(roster, addresses, false);

/** The retired source that had this address; null when there is none. */
export const retiredAtAddress = (roster: Roster, address: string): Source | null => atAddress(roster, [address], true);

function atAddress(roster: Roster, addresses: readonly string[], wantRetired: boolean): Source | null {
  const keys = new Set(addresses.map(addressKey));
  for (const { source, retired } of roster.values())
    if (Boolean(retired) === wantRetired && keys.has(addressKey(source.url))) return source;
  return null;
}
