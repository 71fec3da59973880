/** A hundred times the items of the rounds: openings that one outlet each reports, and irrelevant items. */
import { openCatalogue } from '../../bin/services.ts';
import { understandItem } from '../../ingest/understand/understand-item.ts';
import { ROUNDS, reportsUpTo, roundTitles } from '../end-to-end/rounds.ts';
import type { Outlets } from '../harness/outlets.ts';

export const CROWD_OUTLETS = ['first-crier', 'second-crier', 'third-crier', 'fourth-crier'] as const;

export interface Crowd {
  /** Adds a round's items; `at` is the date that they carry. */
  publish(outlets: Outlets, round: number, at: Date): void;
  /** Reports of signals among them, up to and including this round. */
  reportsUpTo(round: number): number;
  readonly items: number;
}

interface CrowdItem {
  readonly title: string;
  readonly summary: string;
}

const CITIES = ['Pune', 'Mumbai', 'Bengaluru', 'Jaipur', 'Lucknow', 'Kochi', 'Indore', 'Guwahati'] as const;
/** One item in this many is a move, as with general outlets. */
const ITEMS_A_MOVE = 8;

const opening = (name: string, number: number): CrowdItem => ({
  title: `${name} opens ${11 + (number % 83)},000 sq ft store in Sector ${number}, ${CITIES[number % CITIES.length]}`,
  summary: `${name} has opened a new store in Sector ${number}, the company said.`,
});

const rain = (number: number): CrowdItem => ({
  title: `Rain of ${number} mm expected over ${CITIES[number % CITIES.length]}, says the weather office`,
  summary: `Schools stay open; the river stood at ${number} cm this morning.`,
});

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];

/** Filters names that share no word with former names or with the given texts, so that no two are matched. */
function apart(texts: readonly string[]): (name: string) => boolean {
  const taken = new Set(texts.flatMap(wordsOf));
  return (name) => {
    const words = wordsOf(name);
    const isApart = words.length > 0 && words.every((word) => !taken.has(word));
    for (const word of words) taken.add(word);
    return isApart;
  };
}

/** @param times items for each report of the rounds */
export async function openCrowd(times: number): Promise<Crowd> {
  const catalogue = await openCatalogue('deploy/catalogue');
  const read = ({ title, summary }: CrowdItem) =>
    understandItem(
      { title, summary, published_at: null, url: 'https://papers.example/a', outlet: 'first-crier' },
      catalogue,
    );
  const items = reportsUpTo(ROUNDS - 1) * times;
  const sharesNoWord = apart(roundTitles());
  const openings = catalogue.catalogue.brands
    .filter(({ parent, common_word, kind }) => !parent && !common_word && kind === 'brand')
    .filter(({ name }) => sharesNoWord(name))
    .map(({ slug, name }, number) => ({ slug, item: opening(name, number) }))
    // One brand, one event: otherwise the clock would decide which of two comes first.
    .filter(({ slug, item }) => {
      const { relevant, roundup, understanding } = read(item);
      return relevant && !roundup && understanding.brands.length === 1 && understanding.brands[0]?.slug === slug;
    })
    .slice(0, Math.floor(items / ITEMS_A_MOVE))
    .map(({ item }) => item);
  const noise = Array.from({ length: items - openings.length }, (_, number) => rain(number));
  const share = (all: readonly CrowdItem[], round: number): readonly CrowdItem[] =>
    all.slice(Math.floor((all.length * round) / ROUNDS), Math.floor((all.length * (round + 1)) / ROUNDS));
  return {
    items,
    publish(outlets, round, at) {
      for (const [index, { title, summary }] of [...share(openings, round), ...share(noise, round)].entries()) {
        const outlet = CROWD_OUTLETS[index % CROWD_OUTLETS.length] ?? CROWD_OUTLETS[0];
        outlets.publish(outlet, { guid: `crowd-${round}-${index}`, title, summary, published: at });
      }
    },
    reportsUpTo: (round) => Math.floor((openings.length * (round + 1)) / ROUNDS),
  };
}
