/** A signal as answers use it: its stored text, and what stands where in it. */
import type { FoundSignal } from '../projector/models/search/queries.ts';
import type { SignalDetail } from '../schemas/resources.ts';
import { dayOf } from './question/days.ts';
import { stemsOf } from './question/words.ts';

export interface Evidence extends FoundSignal {
  /** The text that quotes are taken from and verified against. */
  readonly stored: string;
  /** Stems of everything by which the signal is known. */
  readonly stems: ReadonlySet<string>;
  /** IST day on which it moved. */
  readonly day: string;
}

/**
 * The stored text of a signal: headline, summary, deck, key facts, why it matters and what to watch, each that differs
 * on its own line. Offsets of quotes count in it.
 */
export function storedText(signal: SignalDetail): string {
  const { headline, summary, deck, key_facts, why_it_matters, what_to_watch } = signal;
  const parts = [headline, summary, deck, ...key_facts, why_it_matters, what_to_watch];
  return [...new Set(parts.filter((part): part is string => part !== null && part !== ''))].join('\n');
}

/** A signal that was found, with the text that may be cited of it and the words by which a question is held against it. */
export function evidenceOf(found: FoundSignal): Evidence {
  const { signal, moved_at, titles } = found;
  const stored = storedText(signal);
  const known = [
    stored,
    signal.kind,
    signal.theme?.name,
    signal.delta,
    signal.source.outlet,
    ...signal.cities,
    ...titles,
  ];
  const names = signal.brands.map(({ name }) => name);
  return { ...found, stored, stems: stemsOf([...known, ...names].join('\n')), day: dayOf(new Date(moved_at)) };
}
