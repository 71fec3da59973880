/** How this installation reaches its sources, and how their WebSub hubs reach it. */
import { isIP } from 'node:net';
import { createFetchPage, createHostGate, type FetchPage, type SecretLookup } from '../ingest/poll/fetch/fetch-page.ts';
import { createAddressRule, isPublicAddress } from '../ingest/poll/fetch/guarded-connection.ts';
import { respectRobots } from '../ingest/poll/fetch/robots.ts';
import { PRODUCT, userAgent } from '../ingest/poll/poller.ts';
import type { Configuration } from '../schemas/configuration.ts';

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * The address at which outlets reach the operator: CONTACT, else the first address of OPERATORS, else the service itself where it is
 * public.
 * @returns a `mailto:` or web address; undefined where the configuration has none
 */
export function contactOf({
  CONTACT,
  OPERATORS,
  BASE_URL,
}: Pick<Configuration, 'CONTACT' | 'OPERATORS' | 'BASE_URL'>): string | undefined {
  const address = CONTACT ?? OPERATORS[0];
  if (address) return /^https?:/.test(address) ? address : `mailto:${address}`;
  return LOOPBACK.test(URL.parse(BASE_URL)?.hostname ?? 'localhost') ? undefined : BASE_URL;
}

/** The value of `${SOURCE_…}` in a header of a source; other settings are not readable. */
export const sourceSecret: SecretLookup = (name) => (name.startsWith('SOURCE_') ? process.env[name] : undefined);

/** A fetcher for commands, with the guards and rate limits of the poller. @param now default: the clock of the machine */
export const openFetcher = (configuration: Configuration, now = () => new Date()): FetchPage =>
  respectRobots(
    createFetchPage({
      allowAddress: createAddressRule(() => configuration.ALLOW_PRIVATE_SOURCES),
      userAgent: userAgent(contactOf(configuration)),
      gate: createHostGate(),
      secrets: sourceSecret,
    }),
    PRODUCT,
    now,
  );

/** Names that no public DNS resolves (RFC 6761, 6762, 8375, and `.internal` of ICANN). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|test|example|invalid|home\.arpa|lan|localdomain)\.?$/i;

/** Whether WebSub hubs can call back: BASE_URL is public or private networks are allowed, and WEBSUB is not off. */
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
