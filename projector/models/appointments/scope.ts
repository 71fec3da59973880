/** Which appointments are asked for, as the condition of a statement. */
import type { Direction, Lens } from '../../../schemas/leadership.ts';
import { seatsOf } from './roles.ts';

export interface Scope {
  /** Published from then on. */
  readonly since: Date;
  /** Published before then. */
  readonly until: Date;
  /** Slugs of the companies that count; unset for all. */
  readonly companies?: readonly string[] | undefined;
  readonly lens?: Lens | undefined;
  /** A role as people write it: `CFO`, `marketing head`. */
  readonly role?: string | undefined;
  readonly direction?: Direction | undefined;
}

const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** @returns the condition, and the parameters that it names from $1 on */
export function conditionOf(scope: Scope): { where: string; parameters: unknown[] } {
  const parameters: unknown[] = [scope.since, scope.until];
  const where = ['published_at >= $1', 'published_at < $2'];
  const parameter = (value: unknown): string => `$${parameters.push(value)}`;
  if (scope.companies) where.push(`company_slug = ANY(${parameter(scope.companies)})`);
  if (scope.lens) where.push(`${parameter(scope.lens)} = ANY(lenses)`);
  if (scope.direction) where.push(`direction = ${parameter(scope.direction)}`);
  // A role that names a seat is found however it is written, any other by its words.
  if (scope.role)
    where.push(`(seats && ${parameter(seatsOf(scope.role))} OR role ILIKE ${parameter(`%${literal(scope.role)}%`)})`);
  return { where: where.join(' AND '), parameters };
}
