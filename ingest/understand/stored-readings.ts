/**
 * Items that a language model reads: those of which the local readers are not sure, each once. What it said is stored by the
 * item's event, so that a batch that comes again and a replay ask nobody. An item that could not be read, because the
 * provider or the budget was unavailable, is published by the local readers; it waits, and is read and understood again.
 */
import { z } from 'zod';
import type { ItemText } from '../../facts/text/item-reading.ts';
import type { LanguageModel } from '../../log/language-model.ts';
import { type Database, query } from '../../log/postgres/database.ts';
import type { Configuration } from '../../schemas/configuration.ts';
import { type Event, type KnownEvent, readEvent, UnreadableEvent } from '../../schemas/events.ts';
import { claimsOf, ItemClaims } from './model-reading.ts';
import type { Verdict } from './understand-item.ts';
import type { Understander } from './understander.ts';

/** Which items a language model reads. */
type Reads = Configuration['LLM_READS'];

/** Between these probabilities of relevance, and below this one of the kind, the local models are often wrong. */
const DOUBTFUL = { low: 0.05, high: 0.95, move: 0.8 };
/** Between these confidences a fact may be right, and is not sure. */
const DOUBTFUL_FACT = { low: 0.2, high: 0.92 };

/** Whether the local readers are not sure of an item: relevance, kind, whom it is about, or a fact. */
export function isUncertain({ certainty, facts, understanding, reason }: Verdict): boolean {
  const { relevance, move, agreed } = certainty;
  // By the plain words of the text; no reader decides otherwise.
  if (relevance === 0) return false;
  if (!agreed || (relevance > DOUBTFUL.low && relevance < DOUBTFUL.high)) return true;
  if (reason !== 'move') return false;
  return (
    move < DOUBTFUL.move ||
    understanding.brands.every(({ role, provisional }) => role !== 'primary' || provisional) ||
    facts.some(({ confidence }) => confidence > DOUBTFUL_FACT.low && confidence < DOUBTFUL_FACT.high)
  );
}

const KNOWN = 'SELECT item FROM log.item_reading WHERE item = ANY ($1::uuid[]) AND claims IS NOT NULL';
const STORED = 'SELECT claims FROM log.item_reading WHERE item = $1 AND claims IS NOT NULL';
const STORE = `INSERT INTO log.item_reading AS known (item, model, claims)
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[])
  ON CONFLICT (item) DO UPDATE SET model = EXCLUDED.model, claims = coalesce(EXCLUDED.claims, known.claims)`;
const WAITING = 'SELECT item FROM log.item_reading WHERE claims IS NULL ORDER BY requested_at LIMIT $1';

/** Items of one call: about 300 tokens each, and the instructions once. */
const TOGETHER = 8;

/** What became of an item that a model was to read. */
interface Read {
  /** False for an item of which the local readers are sure. */
  readonly isWanted: boolean;
  /** True where the model could not be called: the item waits. */
  readonly isWaiting: boolean;
  readonly claims: ItemClaims | null;
}

/**
 * Has a model read those of some texts that are uncertain.
 * @param reader `all` for every item that is not plain noise
 */
export async function readUncertain(
  { model, reads, understander }: Pick<Reader, 'model' | 'reads' | 'understander'>,
  items: readonly ItemText[],
): Promise<Read[]> {
  const read: Read[] = [];
  const wanted: number[] = [];
  for (const [index, item] of items.entries()) {
    const verdict = await understander.understand(item);
    const isWanted = reads === 'all' ? verdict.certainty.relevance > 0 : isUncertain(verdict);
    if (isWanted) wanted.push(index);
    read.push({ isWanted, isWaiting: false, claims: null });
  }
  for (let from = 0; from < wanted.length; from += TOGETHER) {
    const together = wanted.slice(from, from + TOGETHER);
    const claims = await claimsOf(
      model,
      together.flatMap((index) => items[index] ?? []),
    );
    for (const [nth, index] of together.entries())
      read[index] = { isWanted: true, isWaiting: claims === null, claims: claims?.[nth] ?? null };
  }
  return read;
}

export interface StoredReadings {
  /** Has the model read those of some events of items that are uncertain, and stores what it says. @returns how many it read */
  readAhead(events: readonly Event[]): Promise<number>;
  /** Ids of events of items that could not be read, those that wait longest first. */
  waiting(limit: number): Promise<string[]>;
  /** Has items wait no longer. */
  forget(itemEvents: readonly string[]): Promise<void>;
}

/** The item of an event; null for other events, and for those that nobody reads. */
function itemOf(event: Event): KnownEvent<'ItemFound'> | null {
  try {
    const item = readEvent(event);
    return item.type === 'ItemFound' && item.data.role !== 'oracle' ? item : null;
  } catch (error) {
    if (error instanceof UnreadableEvent) return null;
    throw error;
  }
}

interface Reader {
  readonly database: Database;
  readonly model: LanguageModel;
  readonly reads: Exclude<Reads, 'off'>;
  readonly understander: Pick<Understander, 'understand'>;
}

/** What a model said of items, by the ids of their events; null for one that it did not read. */
export const storedClaims =
  (database: Database) =>
  async (itemEvent: string): Promise<ItemClaims | null> => {
    const [row] = await query(database, STORED, [itemEvent], z.object({ claims: z.string() }));
    return row ? (ItemClaims.safeParse(JSON.parse(row.claims)).data ?? null) : null;
  };

/** Opens the readings of items. */
export function openStoredReadings(reader: Reader): StoredReadings {
  const { database, model } = reader;
  return {
    async readAhead(events) {
      const items = events.flatMap((event) => itemOf(event) ?? []);
      const rows = await query(database, KNOWN, [items.map(({ id }) => id)], z.object({ item: z.string() }));
      const stored = new Set(rows.map(({ item }) => item));
      const unread = items.filter(({ id }) => !stored.has(id));
      const readings = await readUncertain(
        reader,
        unread.map(({ data }) => data),
      );
      const wanted = unread.flatMap(({ id }, index) => (readings[index]?.isWanted ? [{ id, ...readings[index] }] : []));
      if (wanted.length > 0)
        await database.query(STORE, [
          wanted.map(({ id }) => id),
          wanted.map(() => model.name),
          // An entry that is missing or invalid is not asked for again.
          wanted.map(({ isWaiting, claims }) => (isWaiting ? null : JSON.stringify(claims))),
        ]);
      return wanted.filter(({ isWaiting }) => !isWaiting).length;
    },
    async waiting(limit) {
      const rows = await query(database, WAITING, [limit], z.object({ item: z.string() }));
      return rows.map(({ item }) => item);
    },
    async forget(itemEvents) {
      await database.query('DELETE FROM log.item_reading WHERE item = ANY ($1::uuid[]) AND claims IS NULL', [
        itemEvents,
      ]);
    },
  };
}
