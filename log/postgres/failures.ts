/** Telling failures that pass by themselves from those that stay. */

// Classes of SQLSTATE that a retry can mend: connection, insufficient resources, operator intervention (a restart),
// system error, transaction rollback (deadlock), and a lock not available.
const PASSING = /^(08|53|57|58|40|55P03|25006)/;

/**
 * Whether an operation that failed so may succeed later. What carries no SQLSTATE came from the network or the driver
 * (refused, reset, timed out), except for mistakes in the program.
 */
export function passes(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return false;
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? PASSING.test(code) : true;
}
