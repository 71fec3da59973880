/** The storage of `oidc-provider` in PostgreSQL. */
import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider';
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { revokeGrantTokens } from '../token-revocations.ts';

/** Clients that registered themselves are forgotten so long after their last use, in seconds. */
const CLIENT_SECONDS = 90 * 86_400;

const Row = z.object({ payload: z.looseObject({}), consumed: z.number().nullable() });

const FIND = `SELECT payload, extract(epoch FROM consumed_at)::float8 AS consumed FROM access.sign_in
  WHERE kind = $1 AND expires_at > now()`;
const UPSERT = `INSERT INTO access.sign_in (kind, id, payload, uid, grant_id, expires_at)
  VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
  ON CONFLICT (kind, id) DO UPDATE SET
    payload = EXCLUDED.payload, uid = EXCLUDED.uid, grant_id = EXCLUDED.grant_id, expires_at = EXCLUDED.expires_at`;
const USED = `UPDATE access.sign_in SET expires_at = now() + make_interval(secs => $3)
  WHERE kind = $1 AND id = $2 AND expires_at < now() + make_interval(secs => $3) - interval '1 day'`;

async function find(database: Queryable, text: string, values: readonly string[]): Promise<AdapterPayload | undefined> {
  const [row] = await query(database, text, values, Row);
  return row && ({ ...row.payload, ...(row.consumed === null ? {} : { consumed: row.consumed }) } as AdapterPayload);
}

/** @param database in which `migrateAccess` ran */
export const postgresAdapter =
  (database: Queryable): AdapterFactory =>
  (kind): Adapter => ({
    async upsert(id, payload, expiresIn = CLIENT_SECONDS) {
      const values = [kind, id, JSON.stringify(payload), payload.uid ?? null, payload.grantId ?? null, expiresIn];
      await database.query(UPSERT, values);
    },
    async find(id) {
      if (kind === 'Client') await database.query(USED, [kind, id, CLIENT_SECONDS]);
      return find(database, `${FIND} AND id = $2`, [kind, id]);
    },
    findByUid: (uid) => find(database, `${FIND} AND uid = $2`, [kind, uid]),
    // Codes typed in on another device are not offered.
    findByUserCode: async () => undefined,
    async consume(id) {
      const { rowCount } = await database.query(
        'UPDATE access.sign_in SET consumed_at = now() WHERE kind = $1 AND id = $2 AND consumed_at IS NULL',
        [kind, id],
      );
      // Of two who bring the same code at once, one is late.
      if (rowCount === 0) throw new errors.InvalidGrant('it was used already');
    },
    async destroy(id) {
      await database.query('DELETE FROM access.sign_in WHERE kind = $1 AND id = $2', [kind, id]);
    },
    async revokeByGrantId(grantId) {
      // Access tokens are kept by their holders alone: they are remembered as revoked.
      if (kind === 'AccessToken') return revokeGrantTokens(database, grantId);
      await database.query('DELETE FROM access.sign_in WHERE grant_id = $1', [grantId]);
    },
  });
