/** Which openings are asked for, as the condition of a statement. */

export interface Scope {
  /** Published from then on. */
  readonly since: Date;
  /** Published before then. */
  readonly until: Date;
  /** Cities, as the catalogue writes them; several are one region. Unset for all. */
  readonly cities?: readonly string[] | undefined;
  readonly mall?: string | undefined;
  /** Slugs of the brands that count; unset for all. */
  readonly brands?: readonly string[] | undefined;
}

/** @returns the condition, and the parameters that it names from $1 on */
export function conditionOf({ since, until, cities, mall, brands }: Scope): { where: string; parameters: unknown[] } {
  const parameters: unknown[] = [since, until];
  const where = ['published_at >= $1', 'published_at < $2'];
  const also = (condition: (parameter: string) => string, value: unknown): void => {
    if (value !== undefined) where.push(condition(`$${parameters.push(value)}`));
  };
  // One city is compared as one, since only then the index gives the order of the list too.
  if (cities?.length === 1) also((parameter) => `city = ${parameter}`, cities[0]);
  else also((parameter) => `city = ANY(${parameter})`, cities);
  also((parameter) => `mall = ${parameter}`, mall);
  also((parameter) => `brand_slug = ANY(${parameter})`, brands);
  return { where: where.join(' AND '), parameters };
}
