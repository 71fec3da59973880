/** What matching looks at in one telling of an event: computed once per item, compact, with no text kept. */
import type { Understanding } from '../../schemas/story.ts';
import { actionsOf, isAngle, stagesOf } from './actions.ts';
import { type Figure, figuresOf } from './figures.ts';
import { leadOf } from './headline.ts';
import { hash, type Terms, termsOf } from './terms.ts';
import { weigh } from './weigh.ts';
import { wordsOf } from './words.ts';

/** The text of an item, in whole or in part. Times are RFC 3339 in UTC or an ISO date. */
export interface Telling {
  readonly title: string;
  readonly summary: string | null;
  readonly published_at: string | null;
  readonly first_seen_at: string;
}

export interface Features {
  readonly title: Terms;
  /** The rarest few words of the headline: whom and what it is about. */
  readonly subject: Terms;
  readonly all: Terms;
  readonly titleFigures: readonly Figure[];
  readonly figures: readonly Figure[];
  readonly actions: number;
  readonly stages: number;
  readonly angle: boolean;
  readonly digest: boolean;
  /** Days since 1970, with fraction. */
  readonly day: number;
  readonly move: string;
  /** Hashes of names, so that no text is held: primary brands, all brands, cities, places within them, surnames. */
  readonly primary: readonly number[];
  readonly brands: readonly number[];
  readonly cities: readonly number[];
  readonly places: readonly number[];
  readonly people: readonly number[];
  /** `Q1 FY27` of results, else empty. */
  readonly period: string;
}

const DAY = 86_400_000;
const surname = (name: string): string => name.trim().toLowerCase().split(/\s+/).at(-1) ?? '';
const hashes = (names: readonly (string | null)[]): number[] => [
  ...new Set(names.flatMap((name) => (name ? [hash(name.toLowerCase())] : []))),
];

/** The three rarest words, the earlier one first where two are as rare. */
const rarestOf = (words: readonly string[]): string[] =>
  [...new Set(words)].sort((a, b) => weigh(b) - weigh(a)).slice(0, 3);

/**
 * The features of one telling.
 * @param understanding what was understood of it, null where only the text is known: matching then goes by words,
 *   figures and dates alone
 */
export function featuresOf(telling: Telling, understanding: Understanding | null): Features {
  const lead = leadOf(telling.title, telling.summary);
  const words = wordsOf(lead.title);
  const time = Date.parse(telling.published_at ?? telling.first_seen_at);
  const brands = understanding?.brands ?? [];
  return {
    title: termsOf(words, weigh),
    subject: termsOf(rarestOf(words), (word) => weigh(word) ** 2),
    all: termsOf([...words, ...wordsOf(lead.summary)], weigh),
    titleFigures: figuresOf(lead.title),
    figures: figuresOf(`${lead.title} . ${lead.summary}`),
    actions: actionsOf(lead.title),
    stages: stagesOf(lead.title),
    angle: isAngle(lead.title),
    digest: lead.digest,
    day: Number.isFinite(time) ? time / DAY : 0,
    move: understanding?.move ?? '',
    primary: hashes(brands.filter((brand) => brand.role === 'primary').map((brand) => brand.slug)),
    brands: hashes(brands.map((brand) => brand.slug)),
    cities: hashes(understanding?.cities ?? []),
    places: hashes([
      understanding?.mall ?? null,
      ...(understanding?.openings ?? []).map((opening) => opening.locality),
    ]),
    people: hashes((understanding?.people ?? []).map((appointment) => surname(appointment.person))),
    period: understanding?.result?.period ?? '',
  };
}
