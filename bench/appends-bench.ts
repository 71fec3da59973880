/** Appends to the event store in batches of 100, against plain INSERTs of the same bytes into a table of the same shape. */
import type { Database } from '../log/postgres/database.ts';
import { asciiJson, postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { encodeEvent } from '../log/topic.ts';
import type { Event } from '../schemas/events.ts';
import { eventId } from '../schemas/scalar.ts';
import { type Bench, figureOf, median } from './bench.ts';
import { signalHistory } from './generated-history.ts';

const BATCH = 100;
const BATCHES = 100;

type Batch = readonly Event[];

// As a partition of the events, with all its indexes; the table itself has only the index of positions.
const PLAIN = `CREATE TABLE plain (LIKE log.event_000000000000 INCLUDING ALL EXCLUDING CONSTRAINTS)`;
const ROWS = Array.from({ length: BATCH }, (_, row) =>
  [1, 2, 3, 4, 5].map((column) => `$${5 * row + column}`).join(', '),
);
const INSERT = `INSERT INTO plain (position, stream, revision, id, body) VALUES (${ROWS.join('), (')})`;

/** Batches with ids of their own for each round. */
function batchesOf(events: readonly Event[], round: string): Batch[] {
  const fresh = events.map((event, number) => ({ ...event, id: eventId(round, number) }));
  return Array.from({ length: BATCHES }, (_, batch) => fresh.slice(batch * BATCH, (batch + 1) * BATCH));
}

async function perSecond(batches: readonly Batch[], write: (batch: Batch, number: number) => Promise<unknown>) {
  const started = performance.now();
  for (const [number, batch] of batches.entries()) await write(batch, number);
  return (batches.length * BATCH * 1_000) / (performance.now() - started);
}

function plainInsert(database: Database, round: number) {
  return (batch: Batch, number: number): Promise<unknown> => {
    const first = (round * BATCHES + number) * BATCH;
    const values = batch.flatMap((event, index) => [
      first + index,
      `signal-plain-${round}-${number}`,
      index,
      event.id,
      asciiJson(encodeEvent(event)),
    ]);
    return database.query({ name: 'plain', text: INSERT, values });
  };
}

export const appends: Bench = {
  name: 'appends',
  async run({ empty, rounds }) {
    const { database } = await empty();
    await database.query(PLAIN);
    const store = postgresEventStore(database);
    const events = [...signalHistory(BATCH * BATCHES, 2)].map(({ event }) => event);
    const [ours, plain]: [number[], number[]] = [[], []];
    // The first round warms both up and does not count.
    for (let round = 0; round <= 2 * rounds; round++) {
      const [one, other] = [batchesOf(events, `plain ${round}`), batchesOf(events, `ours ${round}`)];
      const inserted = await perSecond(one, plainInsert(database, round));
      const appended = await perSecond(other, (batch, number) =>
        store.append(`signal-ours-${round}-${number}`, batch, 'none'),
      );
      if (round === 0) continue;
      plain.push(inserted);
      ours.push(appended);
    }
    await store.close();
    return [
      figureOf({
        figure: 'appends in batches of 100',
        unit: 'events/s',
        measured: median(ours),
        baseline: { what: 'plain INSERT of 100 rows', measured: median(plain) },
        limit: { of: 'ratio', at: 'least', value: 0.6 },
      }),
    ];
  },
};
