/** Evidence and queries for tests that need no record. */
import { expect } from 'vitest';
import { compose } from '../../answer/answer-question.ts';
import { type Draft, Verifier } from '../../answer/draft.ts';
import { type Evidence, evidenceOf } from '../../answer/evidence.ts';
import type { Found } from '../../answer/find-evidence.ts';
import { EMPTY_QUERY, type Place, type TypedQuery } from '../../answer/question/typed-query.ts';
import { detailExample } from '../../api/description/examples.ts';
import type { Deal } from '../../facts/deals/fields.ts';
import type { FoundSignal } from '../../projector/models/search-queries.ts';
import { fieldsWith } from '../../schemas/facts.ts';
import { SignalItem, type SignalText } from '../../schemas/resources.ts';
import { brandSlug } from '../harness/ids.ts';
import { idOf, opening } from '../projector/signal-events.ts';
import { catalogue } from './record.ts';

/** Evidence of the signal that the API documents, without facts. */
export const exampleEvidence = (changes: Partial<FoundSignal> = {}): Evidence =>
  evidenceOf({
    signal: detailExample,
    moved_at: '2026-11-20T04:00:00Z',
    rank: 1,
    salience: 0,
    about: [],
    reports: [],
    facts: { deal: null, result: null, results: [], openings: [], people: [] },
    ...changes,
  });

export const BRANDS = {
  'kiri-foods': 'Kiri Foods',
  'maya-stores': 'Maya Stores',
  'tilak-shoes': 'Tilak Shoes',
} as const;
export type TestBrand = keyof typeof BRANDS;

export type TestFacts = Partial<FoundSignal['facts']>;

/** Evidence by its headline, about a brand; its facts are given as understanding would store them. */
export function evidence(
  headline: string,
  brand: TestBrand | null = 'kiri-foods',
  {
    signal,
    day = '2026-11-20',
    ...facts
  }: TestFacts & { readonly signal?: Partial<SignalText>; readonly day?: string } = {},
): Evidence {
  const { summary = null, deck = null, key_facts = [], reports: given, ...own } = signal ?? {};
  const said =
    [...new Set([summary, deck, ...key_facts].filter((one) => one !== null))]
      .map((one) => (/[.!?…]$/.test(one) ? one : `${one}.`))
      .join(' ') || null;
  const report = {
    outlet: 'Daily Trade',
    url: `https://outlet.test/${idOf(headline)}`,
    headline,
    published_at: `${day}T04:10:00Z`,
  };
  return evidenceOf({
    signal: {
      ...SignalItem.parse(detailExample),
      summary,
      outlets: 1,
      headline,
      id: idOf(headline),
      event_at: `${day}T04:00:00Z`,
      brands: brand
        ? [
            {
              name: BRANDS[brand],
              slug: brandSlug(brand),
              url: `https://clarity.test/brand/${brand}`,
              role: 'primary',
            },
          ]
        : [],
      ...own,
    },
    moved_at: `${day}T04:00:00Z`,
    rank: 1,
    salience: 0,
    about: brand ? [brandSlug(brand)] : [],
    reports: (given ?? [report]).map(({ headline: title, ...one }, index) => ({
      ...one,
      title,
      summary: index === 0 ? said : null,
      ...(index === 0 && {
        facts: { ...facts, ...fieldsWith('results', facts.results ?? []) } as FoundSignal['reports'][number]['facts'],
      }),
    })),
    facts: { deal: null, result: null, results: [], openings: [], people: [], ...facts },
  });
}

/** What a search found: the evidence, which meets all of the question. */
export const foundOf = (all: readonly Evidence[], changes: Partial<Found> = {}): Found => ({
  evidence: all,
  near: [],
  givenUp: [],
  unmet: [],
  coverage: 1,
  ranked: [],
  chance: 1,
  isByChance: false,
  began: new Date('2026-05-27T04:00:00Z'),
  isCut: false,
  ...changes,
});

/** A query that differs from the empty one in these fields. */
export const queryOf = (changes: Partial<TypedQuery> = {}): TypedQuery => ({ ...EMPTY_QUERY, ...changes });

export const named = (...slugs: readonly TestBrand[]): TypedQuery['brands'] =>
  slugs.map((slug) => ({ slug: brandSlug(slug), name: BRANDS[slug] }));

export const placed = (...cities: readonly string[]): Place[] => cities.map((name) => ({ name, cities: [name] }));

/** Half open, by IST days. */
export const periodOf = (
  since: string,
  until: string,
  label: string,
  fiscal: string | null = null,
): NonNullable<TypedQuery['period']> => ({
  since: new Date(`${since}T00:00:00+05:30`).toISOString(),
  until: new Date(`${until}T00:00:00+05:30`).toISOString(),
  label,
  fiscal,
});

export const leadOf = ({ lead }: Draft): string => lead.map(({ markdown }) => markdown).join(' ');
/** Headlines of the signals that sentences cite, each once. */
export function citedIn(sentences: Draft['lead'], all: readonly Evidence[]): string[] {
  const ids = [...new Set(sentences.flatMap((one) => one.ids))];
  return ids.map((id) => all.find(({ signal }) => signal.id === id)?.signal.headline ?? id);
}
/** Whether every sentence of a draft holds against the evidence. */
export const isVerified = (draft: Draft, all: readonly Evidence[]): boolean => {
  const verifier = new Verifier(all);
  return [...draft.lead, ...draft.items].every((sentence) => verifier.holds(sentence));
};

interface Given {
  readonly found?: Partial<Found>;
  readonly cited?: readonly Evidence[];
  readonly before?: Found | null;
}

/** The draft for a query and the evidence that was found; every sentence of it holds. */
export function draftOf(
  changes: Partial<TypedQuery>,
  all: readonly Evidence[],
  { found = {}, cited = [], before = null }: Given = {},
): Draft {
  const whole = foundOf(all, found);
  const draft = compose(queryOf(changes), whole, { catalogue, cited, before });
  expect(isVerified(draft, [...all, ...whole.near, ...cited, ...(before?.evidence ?? [])])).toBe(true);
  return draft;
}

/** What a draft is expected to be, in those of its parts that are stated. */
export interface ExpectedDraft {
  readonly lead?: RegExp;
  /** What the lead does not say. */
  readonly not?: RegExp;
  readonly notes?: RegExp;
  readonly basis?: Draft['basis'];
  readonly items?: number;
  /** Headlines of what the lead, and then the items, cite, each once. */
  readonly cited?: readonly Evidence[];
}
/** A query, the evidence for it, and the draft that is expected of them. */
export type DraftCase = readonly [given: string, Partial<TypedQuery>, readonly Evidence[], ExpectedDraft];

export function expectDraft(draft: Draft, all: readonly Evidence[], expected: ExpectedDraft): void {
  const { lead, not, notes, basis, items, cited } = expected;
  if (lead) expect(leadOf(draft)).toMatch(lead);
  if (not) expect(leadOf(draft)).not.toMatch(not);
  if (notes) expect(draft.notes.join(' ')).toMatch(notes);
  if (basis) expect(draft.basis).toBe(basis);
  if (basis === 'none') expect(draft).toMatchObject(REFUSED);
  if (items !== undefined) expect(draft.items).toHaveLength(items);
  if (cited) expect(citedIn([...draft.lead, ...draft.items], all)).toEqual(cited.map(({ headline }) => headline));
}
/** Checks the draft of a case; every sentence of it holds. */
export const checkDraft = (_: string, query: Partial<TypedQuery>, all: readonly Evidence[], expected: ExpectedDraft) =>
  expectDraft(draftOf(query, all), all, expected);

export const REFUSED = { basis: 'none', lead: [{ ids: [], quotes: [] }] };
export const opened = (
  stores: number | null,
  brand: TestBrand = 'kiri-foods',
  city: string | null = 'Pune',
): Evidence =>
  evidence(`${BRANDS[brand]} opens ${stores ?? 'some'} in ${city ?? 'a city'}`, brand, {
    signal: { cities: city ? [city] : [] },
    openings: [opening({ brand: BRANDS[brand], stores, city })],
  });
export const raised = (amount: string, brand: TestBrand = 'kiri-foods'): Evidence =>
  dealt(`${BRANDS[brand]} raises ${amount}`, { amount }, brand);
/** A report of a deal of a company, which is its target unless stated. */
export const dealt = (headline: string, deal: Partial<Deal> = {}, brand: TestBrand = 'kiri-foods'): Evidence =>
  evidence(headline, brand, {
    signal: { move: 'deals' },
    deal: { type: 'funding', amount: null, target: BRANDS[brand], buyers: [], ...deal },
  });
export const STORES = { kinds: ['stores'], measure: 'stores' } as const satisfies Partial<TypedQuery>;
