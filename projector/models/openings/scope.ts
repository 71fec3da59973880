/** Which openings are asked for, as the condition of a statement. */

export interface Scope {
  /** Published from then on. */
  readonly since: Date;
  /** Published before then. */
  readonly until: Date;
  /** A city, as the catalogue writes it. */
  readonly city?: string | undefined;
  readonly mall?: string | undefined;
  /** Slugs of the brands that count; unset for all. */
  readonly brands?: readonly string[] | undefined;
}

/** @returns the condition, and the parameters that it names from $1 on */
export function conditionOf({ since, until, city, mall, brands }: Scope): { where: string; parameters: unknown[] } {
  const parameters: unknown[] = [since, until];
  const where = ['published_at >= $1', 'published_at < $2'];
  const also = (condition: (parameter: string) => string, value: unknown): void => {
    if (value !== undefined) where.push(condition(`$${parameters.push(value)}`));
  };
  also((parameter) => `city = ${parameter}`, city);
  also((parameter) => `mall = ${parameter}`, mall);
  also((parameter) => `brand_slug = ANY(${parameter})`, brands);
  return { where: where.join(' AND '), parameters };
}
