/** Applies an event of a topic that comes late. Models of topics bear that: a topic promises no order across keys. */
import { transaction } from '../../log/postgres/database.ts';
import { readEnvelope } from '../../schemas/events.ts';
import { type Build, lockBuild } from '../builds/registry.ts';
import { fold, readForModel } from '../fold.ts';
import type { Model } from '../model.ts';
import { type Parked, unpark } from '../parked.ts';
import { loadRows, writeRows } from '../rows/store.ts';
import type { Services } from '../services.ts';

/**
 * Takes a parked event into the live rows, once: its entry goes in the same transaction.
 * @returns the number of rows changed
 * @throws what the model or the database says of the event; CheckpointConflict when the build was replaced
 */
export async function applyLate(
  { database }: Services,
  { model, build, entry }: { readonly model: Model; readonly build: Build; readonly entry: Parked },
): Promise<number> {
  return transaction(database, async (client) => {
    await lockBuild(client, build.name, entry.input);
    const still = await client.query(
      'SELECT 1 FROM projector.parked WHERE model = $1 AND event_id = $2 AND build = $3 FOR UPDATE',
      [model.name, entry.event_id, build.name],
    );
    if (still.rowCount !== 1) return 0;
    const { taken, refused } = readForModel(model, [readEnvelope(JSON.parse(entry.event))]);
    const rows = await loadRows(client, model, build.name, [...new Set(taken.flatMap(({ keys }) => keys))]);
    const folded = fold(model, taken, rows);
    const [problem] = [...refused, ...folded.refused];
    if (problem) throw problem.error;
    await writeRows(client, model, build.name, new Map([...folded.changed].map((key) => [key, rows.get(key) ?? null])));
    await unpark(client, model.name, [entry.event_id]);
    return folded.changed.size;
  });
}
