import type { Configuration } from '../schemas/configuration.ts';

/** Where outlets reach the operator: the first address of OPERATORS, else the service itself where it is public. */
export const contactOf = ({ OPERATORS, BASE_URL }: Configuration): string | undefined =>
  OPERATORS[0] ? `mailto:${OPERATORS[0]}` : /localhost|127\.0\.0\.1/.test(BASE_URL) ? undefined : BASE_URL;
