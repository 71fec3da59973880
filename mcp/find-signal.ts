/** One public signal by its cite id, its slug of any time, or its address. */
import type { Queryable } from '../log/postgres/database.ts';
import { type FoundSignal, findSignal } from '../projector/models/signals-queries.ts';
import { quoted } from '../schemas/input-errors.ts';
import { SignalId, Slug } from '../schemas/scalar.ts';
import { ToolRefusal } from './tool.ts';

/** `[sig_…]`, `https://…/signal/slug` and `slug` name the same. */
const bare = (text: string): string =>
  text
    .trim()
    .replace(/^\[|\]$/g, '')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/^.*\//, '')
    .toLowerCase();

/** Every report that counts, from first to last: by the time that its outlet gives, else by when it was first seen. */
function inOrderOfTime(reports: FoundSignal['reports']): FoundSignal['reports'] {
  const timeOf = ({ published_at, first_seen_at }: FoundSignal['reports'][number]): number =>
    Date.parse(published_at ?? first_seen_at);
  return reports.filter(({ resurfaced }) => !resurfaced).toSorted((one, other) => timeOf(one) - timeOf(other));
}

/** @throws ToolRefusal when no public signal has it */
export async function signalNamed(database: Queryable, text: string): Promise<FoundSignal> {
  const name = bare(text);
  // What is neither id nor slug cannot be found, and must not reach the database, which refuses some characters.
  const may = SignalId.safeParse(name).success || Slug.safeParse(name).success;
  const found = may ? await findSignal(database, name) : null;
  const signal = found && 'redirect' in found ? await findSignal(database, found.redirect) : found;
  if (signal && 'document' in signal) return { ...signal, reports: inOrderOfTime(signal.reports) };
  throw new ToolRefusal(
    `No public signal has the id or slug ${quoted(text)}. Ids look like sig_0123456789abcdef; latest_moves and search give them.`,
  );
}
