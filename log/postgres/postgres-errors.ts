/** Which errors of PostgreSQL are transient, and which of them mean that it cannot be reached. */

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

/** Tells a database that cannot be had just now from one that refuses a statement. */

/**
 * SQLSTATE of connections (class 08), of a server without room, memory or connections left (class 53), one that stops,
 * crashed or starts (57P01 to 57P03), and what the network says.
 */
const CODES =
  /^(08...|53...|57P0[123]|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** What the driver says without a code, also when every connection of the pool is in use for too long. */
const MESSAGES =
  /^(timeout exceeded when trying to connect|canceling statement due to (conflict with recovery|statement timeout)|Query read timeout|Connection terminated|Client has encountered a connection error)/;

/** True for an error that passes by itself: the same statement may work in some seconds. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return (typeof code === 'string' && CODES.test(code)) || MESSAGES.test(error.message);
}
