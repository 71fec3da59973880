/** Stores that a signal tells of, as answers count them. */
import { findFigures } from '../../ingest/understand/figures.ts';
import type { Opening } from '../../schemas/story.ts';
import type { Evidence } from '../evidence.ts';

export type StoreStatus = 'opened' | 'closed' | 'planned';

/** A headline that speaks of stores to come. */
const TO_COME =
  /\b(?:to open|to add|plans?|planning|will (?:open|add)|sets? (?:its )?sights|lines? up|chalks? out|eyes|eyeing|targets?|aims?|maps? out|by fy ?\d\d|by 20\d\d|intends?|in the works|expansion plan|over the next|blueprint)\b|-store expansion/i;
const GONE = /\b(?:loses|shuts?|shutters?|pulls? down|clos(?:es?|ed|ing)|winds? up|exits?|vacates)\b/i;
/** `reaches 840 stores`, `410th door`: a number that counts the whole chain, of which one is new. */
const ALL_TOLD =
  /\b(?:reach(?:es|ed)?|cross(?:es|ed)?|hits?|completes?|touches|now (?:has|at)|takes .* (?:count|tally|total))\b|\d(?:st|nd|rd|th)\b/i;
const WORDS: Readonly<Record<string, number>> = {
  ...{ two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, twelve: 12 },
};
const LOOSE =
  /\b(\d{1,4}|two|three|four|five|six|seven|eight|nine|ten|twelve)(?: (?!sq\b|per\b|pc\b|percent\b|years?\b|days?\b)[\w'’.&-]+){0,4} (?:stores?|outlets?|showrooms?|doors|cafes|shops|restaurants)\b/i;

const statusOf = (opening: Opening, headline: string): StoreStatus => {
  if (opening.status === 'closed' || GONE.test(headline)) return 'closed';
  if (TO_COME.test(headline)) return 'planned';
  return opening.status === 'announced' || (opening.status === 'planned' && !ALL_TOLD.test(headline))
    ? 'planned'
    : 'opened';
};

/** What is new is told right after the verb, whatever the chain counts altogether. */
const FRESH =
  /\b(?:adds?|opens?|opened|brings?|gets?|launches|unveils|cuts the ribbon on)\s+(?:another\s+)?(\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve)\b(?![.,]\d|(?:st|nd|rd|th)\b|\s+sq\b)/i;

const FRESHLY_GONE =
  /\b(?:closes?|closed|shuts?|shutters|loses|vacates)\s+(\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve)\b(?![.,]\d)/i;
/** Tells what the chain has, not that anything opened. */
const STANDING = /\bnow has\b|\bdraws? (?:steady )?crowds\b/i;

/** The number that an opening tells; one where it tells none. */
function numberOf(opening: Opening, headline: string, status: StoreStatus): number {
  const told = findFigures(headline).find(
    ({ kind, unit }) =>
      kind === 'count' && /stores?|outlets?|showrooms?|caf|restaurants?|doors|shops?|boutiques?/.test(unit),
  );
  const fresh = (status === 'closed' ? FRESHLY_GONE : FRESH).exec(headline)?.[1]?.toLowerCase();
  if (fresh && (told === undefined || LOOSE.test(headline))) return WORDS[fresh] ?? Number(fresh);
  if (ALL_TOLD.test(headline) && (told === undefined || told.value === opening.stores || opening.stores === null))
    return 1;
  if (opening.stores !== null) return Math.max(1, opening.stores);
  if (told) return Math.max(1, told.value);
  const loose = LOOSE.exec(headline)?.[1]?.toLowerCase();
  return loose ? (WORDS[loose] ?? Number(loose)) : 1;
}

export interface StoresTold {
  readonly evidence: Evidence;
  /** Slug of the brand whose stores they are; null where the signal names no brand for them. */
  readonly brand: string | null;
  readonly city: string | null;
  readonly stores: number;
}

/**
 * Stores of one status, signal by signal. The headline decides where it says that stores are to come or gone.
 * @param cities counted are only stores in these, when there are any
 */
export const storesTold = (
  evidence: readonly Evidence[],
  status: StoreStatus,
  cities: readonly string[] = [],
): StoresTold[] =>
  evidence.flatMap((one) => {
    const { signal, facts } = one;
    if (signal.move !== 'stores' && signal.move !== 'strategy') return [];
    if (STANDING.test(signal.headline)) return [];
    return facts.openings
      .filter((opening) => statusOf(opening, signal.headline) === status)
      .filter(({ city }) => cities.length === 0 || city === null || cities.includes(city))
      .map((opening) => ({
        evidence: one,
        brand: signal.brands.find(({ name }) => name === opening.brand)?.slug ?? one.about[0] ?? null,
        city: opening.city,
        stores: numberOf(opening, signal.headline, status),
      }));
  });
