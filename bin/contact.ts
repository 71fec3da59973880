import type { Configuration } from '../schemas/configuration.ts';

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Where outlets reach the operator: CONTACT, else the first address of OPERATORS, else the service itself where it is
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
