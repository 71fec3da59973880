/** Whether hubs of WebSub can call this service back. */
import { isIP } from 'node:net';
import { isPublicAddress } from '../ingest/poll/fetch/addresses.ts';
import type { Configuration } from '../schemas/configuration.ts';

/** Names that no public DNS resolves (RFC 6761, 6762, 8375, and `.internal` of ICANN). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|test|example|invalid|home\.arpa|lan|localdomain)\.?$/i;

/** True where BASE_URL is public, or private networks are allowed, unless WEBSUB is off. */
export function hubsReach({
  BASE_URL,
  ALLOW_PRIVATE_SOURCES,
  WEBSUB,
}: Pick<Configuration, 'BASE_URL' | 'ALLOW_PRIVATE_SOURCES' | 'WEBSUB'>): boolean {
  if (WEBSUB === 'off') return false;
  if (ALLOW_PRIVATE_SOURCES) return true;
  const host = new URL(BASE_URL).hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? isPublicAddress(host) : host.includes('.') && !PRIVATE_NAME.test(host);
}
