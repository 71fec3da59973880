/** Signals as evidence for an answer: the text that may be quoted, and the words by which a signal is found. */
import type { PreparedCatalogue } from '../ingest/understand/catalogue.ts';
import type { FoundSignal } from '../projector/models/search-queries.ts';
import type { SignalReport, SignalText } from '../schemas/resources.ts';
import { dayOf } from './question/calendar.ts';
import { presentSlugs } from './question/record-names.ts';
import { stemsOf } from './word-match.ts';

export interface Evidence extends FoundSignal {
  /** The text that quotes are taken from and verified against. */
  readonly stored: string;
  /** Stems of everything by which the signal is known. */
  readonly stems: ReadonlySet<string>;
  /** IST day on which it moved, as far as that is known. */
  readonly day: string;
}

/**
 * The stored text of a signal: headline, summary, deck, key facts, why it matters and what to watch, each that differs
 * on its own line. Offsets of quotes count in it.
 */
export function storedText(signal: SignalText): string {
  const { headline, summary, deck, key_facts, why_it_matters, what_to_watch } = signal;
  const parts = [headline, summary, deck, ...key_facts, why_it_matters, what_to_watch];
  return [...new Set(parts.filter((part): part is string => part !== null && part !== ''))].join('\n');
}

/** A signal that was found, with the text that may be cited of it and the words by which a question is compared with it. */
export function evidenceOf(found: FoundSignal): Evidence {
  const { signal, moved_at, titles, facts } = found;
  const stored = storedText(signal);
  const known = [
    ...[stored, signal.kind, signal.theme?.name, signal.delta],
    ...[...signal.cities, ...titles],
    ...signal.brands.map(({ name }) => name),
    ...facts.people.flatMap(({ person, role, company }) => [person, role, company]),
    ...facts.openings.flatMap(({ mall, locality }) => [mall, locality]),
    ...[facts.deal?.target, ...(facts.deal?.buyers ?? [])],
  ];
  return {
    ...found,
    stored,
    stems: stemsOf(known.filter(Boolean).join('\n')),
    day: dayOf(new Date(moved_at)),
  };
}

/**
 * Makes evidence whose brands have their present slugs: a signal keeps the slug that its brand had when it was understood,
 * and would not be counted as one of the brand's.
 */
export function evidenceBy(catalogue: PreparedCatalogue): (found: FoundSignal) => Evidence {
  const present = presentSlugs(catalogue);
  return ({ signal, about, ...found }) =>
    evidenceOf({
      ...found,
      about: [...new Set(about.map(present))],
      signal: { ...signal, brands: signal.brands.map((brand) => ({ ...brand, slug: present(brand.slug) })) },
    });
}

/** The report whose headline a text is: who wrote it, and when. The first report where none has that headline. */
export function reportOf({ signal }: Evidence, text: string): SignalReport {
  const [first] = signal.reports;
  return (
    signal.reports.find(({ headline }) => headline === text) ??
    signal.reports.find(({ outlet }) => outlet === signal.source.outlet) ??
    first ?? {
      outlet: signal.source.outlet ?? 'a source',
      url: signal.source.url ?? signal.url,
      headline: signal.headline,
      published_at: null,
    }
  );
}
