/** The budget of the model: US dollars a day by UTC, counted in `access.model_spend` for all processes together. */
import { z } from 'zod';
import { type Queryable, query } from '../log/postgres/database.ts';

const Spent = z.object({ usd: z.coerce.number() });

// One statement each, so that no two processes spend the same dollar.
const RESERVE = `INSERT INTO access.model_spend AS spend (day, usd) SELECT $1::date, $2::numeric WHERE $2::numeric <= $3::numeric
  ON CONFLICT (day) DO UPDATE SET usd = spend.usd + EXCLUDED.usd WHERE spend.usd + EXCLUDED.usd <= $3::numeric
  RETURNING usd`;
const SETTLE = `UPDATE access.model_spend SET usd = greatest(0, usd + $2::numeric) WHERE day = $1::date`;

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);

/** The budget that calls to a model reserve from. @param budget US dollars a day */
export function modelBudget(database: Queryable, budget: number, now: () => Date) {
  return {
    /**
     * Counts what a call may cost, before it is sent.
     * @returns null when the day's budget does not cover it: the call must not be sent
     */
    async reserve(usd: number) {
      // A call is counted on the day on which it was sent, also when it answers on the next.
      const day = dayOf(now());
      const reserved = await query(database, RESERVE, [day, usd.toFixed(8), budget], Spent);
      if (reserved.length === 0) return null;
      return {
        settle: async (actual: number): Promise<void> =>
          void (await database.query(SETTLE, [day, (actual - usd).toFixed(8)])),
      };
    },
  };
}

/** US dollars that calls of a day may have cost. @param now any moment of the day, by UTC */
export async function modelSpend(database: Queryable, now: Date): Promise<number> {
  const [row] = await query(database, 'SELECT usd FROM access.model_spend WHERE day = $1::date', [dayOf(now)], Spent);
  return row?.usd ?? 0;
}
