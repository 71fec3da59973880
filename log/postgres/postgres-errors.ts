/** Which errors of PostgreSQL are transient, and which of them mean that it is unreachable. */

/**
 * Classes of SQLSTATE that a retry can resolve: connection (08), insufficient resources (53), operator intervention such
 * as a restart (57), system error (58), transaction rollback such as a deadlock (40), a lock that was not available, a
 * read-only server.
 */
const TRANSIENT_STATES = /^(08|53|57|58|40|55P03|25006)/;

/**
 * Whether the same operation may succeed later. An error without SQLSTATE came from the network or the driver (refused,
 * reset, timed out), except for programming errors.
 */
export function isTransientPostgresError(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return false;
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? TRANSIENT_STATES.test(code) : true;
}

/**
 * SQLSTATE of connections (class 08), of a server without room, memory or connections left (class 53), one that stops,
 * crashed or starts (57P01 to 57P03) or ended a transaction that was idle for too long (25P03), and codes of the network.
 */
const UNAVAILABLE_CODES =
  /^(08...|53...|57P0[123]|25P03|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** Messages of the driver without a code, also when all connections of the pool are in use for too long. */
const UNAVAILABLE_MESSAGES =
  /^(timeout exceeded when trying to connect|canceling statement due to (conflict with recovery|statement timeout)|Query read timeout|Connection terminated|Client has encountered a connection error)/;

/** Whether the database is unreachable or overloaded: the same statement may succeed in some seconds. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return (typeof code === 'string' && UNAVAILABLE_CODES.test(code)) || UNAVAILABLE_MESSAGES.test(error.message);
}

/**
 * Whether a statement names a column or table that is not there: a read model of this release is not built yet, and the
 * live build of an earlier release lacks it.
 */
export function isReadModelOutdated(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === '42703' || code === '42P01';
}
