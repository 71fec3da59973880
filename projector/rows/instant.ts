/** Instants as PostgreSQL keeps them. */

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;
/** PostgreSQL counts from 2000-01-01T00:00:00Z. */
const EPOCH = Date.UTC(2000, 0, 1);

/**
 * Microseconds since 2000 in UTC, as a timestamptz holds them; further digits are rounded as PostgreSQL rounds them.
 * @param text RFC 3339
 * @throws TypeError
 */
export function microsecondsOf(text: string): bigint {
  // The form in which nearly all of them come.
  if (text.length === 24 && text.endsWith('Z')) {
    const milliseconds = Date.parse(text);
    if (!Number.isNaN(milliseconds)) return BigInt(milliseconds - EPOCH) * 1_000n;
  }
  const [, seconds, fraction = '', zone] = INSTANT.exec(text) ?? [];
  const milliseconds = Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(milliseconds)) throw new TypeError(`${text.slice(0, 100)} is not an instant`);
  return BigInt(milliseconds - EPOCH) * 1_000n + BigInt(roundToEven(Number(`0.${fraction || '0'}`) * 1e6));
}

function roundToEven(value: number): number {
  const below = Math.floor(value);
  if (value - below !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}
