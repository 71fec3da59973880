import { EMPTY_QUERY, type TypedQuery } from '../../../answer/question/typed-query.ts';

const DAY = 86_400_000;
const day = (instant: string): string => new Date(Date.parse(instant) + 5.5 * 3_600_000).toISOString().slice(0, 10);

function text(value: unknown): string {
  if (Array.isArray(value)) return value.map(text).join('+');
  if (typeof value !== 'object' || value === null) return String(value);
  const one = value as Record<string, unknown>;
  if (typeof one.slug === 'string' && !('kind' in one)) return one.slug;
  if ('cities' in one) return String(one.name);
  if (typeof one.since === 'string' && typeof one.until === 'string')
    return one.fiscal
      ? String(one.fiscal)
      : `${day(one.since)}..${day(new Date(Date.parse(one.until) + DAY - 1).toISOString())}`;
  return Object.values(one)
    .filter((part) => part !== null && !(Array.isArray(part) && part.length === 0))
    .map(text)
    .join(' ');
}

/** A query in one line: its intent, and the fields that differ from those of the empty query. Times are IST days, the second one left out. */
export const summaryOf = (query: TypedQuery): string =>
  [
    query.intent,
    ...Object.entries(query)
      .filter(
        ([field, value]) =>
          field !== 'intent' &&
          field !== 'premise' &&
          JSON.stringify(value) !== JSON.stringify(EMPTY_QUERY[field as keyof TypedQuery]),
      )
      .map(([field, value]) => `${field}=${text(value)}`),
    ...(query.premise ? [`premise=${query.premise.subject.name} > ${query.premise.object.name}`] : []),
  ].join('; ');
