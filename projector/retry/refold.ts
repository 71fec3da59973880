/**
 * An event that comes late cannot simply be applied: what came after it in its stream is in the row already. So the
 * rows that it touches, and those tied to them, are folded anew from their first event, in the order of the store.
 */
import { type Database, transaction } from '../../log/postgres/database.ts';
import type { Event } from '../../schemas/events.ts';
import { type Build, checkpoint, lockBuild, STORE } from '../builds/registry.ts';
import { fold, type Refused, readForModel } from '../fold.ts';
import type { Model } from '../model.ts';
import { park, unpark } from '../parked.ts';
import { history } from '../rebuild/history.ts';
import { writeRows } from '../rows/store.ts';
import type { Services } from '../services.ts';
import { Links } from './links.ts';

export interface Refolded {
  /** Ids of the events that the rows hold now. */
  readonly taken: readonly string[];
  /** Those that the model still cannot take. */
  readonly refused: readonly Refused[];
  /** Rows folded anew, and from how many events. */
  readonly rows: number;
  readonly events: number;
}

export interface Refolding {
  readonly model: Model;
  /** The live build, of the model's own version. */
  readonly build: Build;
  /** The events that are to be taken now. */
  readonly wanted: ReadonlySet<string>;
  /** Events that stay out: parked ones that nobody asked for. */
  readonly leftOut: ReadonlySet<string>;
  readonly signal: AbortSignal;
  /** Told how many places of the store were passed, of how many; each is passed twice. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

type Taken = ReturnType<typeof readForModel>['taken'];

/** The state of one refolding: what ties rows together, then the rows themselves. */
class Rows {
  readonly rows = new Map<string, unknown>();
  readonly refused: Refused[] = [];
  readonly met = new Set<string>();
  events = 0;
  readonly #about: Refolding;
  #component: ReadonlySet<string> = new Set();
  readonly #links = new Links();
  readonly #seeds = new Set<string>();

  constructor(about: Refolding) {
    this.#about = about;
  }

  #read(events: readonly Event[]): { taken: Taken; refused: readonly Refused[] } {
    const { model, leftOut } = this.#about;
    return readForModel(
      model,
      events.filter(({ id }) => !leftOut.has(id)),
    );
  }

  /** Learns from a page which rows hang together. */
  link(events: readonly Event[]): void {
    for (const { event, keys } of this.#read(events).taken) {
      this.#links.add(keys);
      if (this.#about.wanted.has(event.id)) for (const key of keys) this.#seeds.add(key);
    }
  }

  /** Decides which rows are folded; to be called when all pages are linked. */
  choose(): void {
    this.#component = this.#links.reach(this.#seeds);
    for (const key of this.#component) this.rows.set(key, null);
  }

  /** Folds a page. */
  fold(events: readonly Event[]): void {
    const { model, wanted } = this.#about;
    const { taken, refused } = this.#read(events);
    const ours = taken.filter(({ keys }) => keys.some((key) => this.#component.has(key)));
    for (const { id } of events) if (wanted.has(id)) this.met.add(id);
    this.events += ours.length;
    this.refused.push(...refused.filter(({ event }) => wanted.has(event.id)), ...fold(model, ours, this.rows).refused);
  }

  /** False when a page ties further rows to those that were chosen. */
  covers(events: readonly Event[]): boolean {
    return this.#read(events).taken.every(
      ({ keys }) => !keys.some((key) => this.#component.has(key)) || keys.every((key) => this.#component.has(key)),
    );
  }
}

/**
 * Folds the rows of the wanted events anew and writes them over the live ones, at exactly the checkpoint that the live
 * build then has: nothing is folded twice or left out, whatever a projector does meanwhile.
 * @returns null when the build moved on in a way that asks for another attempt
 * @throws what PostgreSQL says of a row that no table takes; CheckpointConflict when the build was replaced
 */
export async function refold(services: Services, about: Refolding): Promise<Refolded | null> {
  const { database, store } = services;
  const { model, build, wanted, signal, onProgress } = about;
  const rows = new Rows(about);
  const upTo = await checkpoint(database, build.name, STORE);
  for (const [turn, take] of [rows.link.bind(rows), rows.fold.bind(rows)].entries()) {
    if (turn === 1) rows.choose();
    for await (const page of history(store, model.prefixes, 0n, upTo)) {
      signal.throwIfAborted();
      take(page.events);
      onProgress?.(Number(page.position) + turn * Number(upTo), 2 * Number(upTo));
    }
  }
  const written = await transaction(database, async (client) => {
    await lockBuild(client, build.name, STORE);
    const stands = await checkpoint(client, build.name, STORE);
    for await (const page of history(store, model.prefixes, upTo, stands)) {
      if (!rows.covers(page.events)) return false;
      rows.fold(page.events);
    }
    await writeRows(client, model, build.name, rows.rows);
    const refusedIds = new Set(rows.refused.map(({ event }) => event.id));
    await park(client, { model: model.name, build: build.name, input: STORE }, rows.refused);
    await unpark(
      client,
      model.name,
      [...rows.met].filter((id) => !refusedIds.has(id)),
    );
    return true;
  });
  if (!written) return null;
  const refusedIds = new Set(rows.refused.map(({ event }) => event.id));
  return {
    taken: [...rows.met].filter((id) => !refusedIds.has(id)),
    refused: rows.refused.filter(({ event }) => wanted.has(event.id)),
    rows: rows.rows.size,
    events: rows.events,
  };
}

/** Notes why an event still cannot be taken. */
export async function tellWhy(database: Database, model: string, eventId: string, why: string): Promise<void> {
  await database.query('UPDATE projector.parked SET error = $3 WHERE model = $1 AND event_id = $2', [
    model,
    eventId,
    why,
  ]);
}
