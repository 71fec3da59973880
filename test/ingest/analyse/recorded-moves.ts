/** An invented catalogue and invented moves for the tests of the analysis. */

import type { Appointment } from '../../../facts/people/fields.ts';
import { companiesIn } from '../../../ingest/analysis-facts.ts';
import type { Compared } from '../../../ingest/analysis-sentences.ts';
import type { MoveFacts, RecordedMove, SeatMove } from '../../../projector/models/moves-queries.ts';
import { CatalogueBrand } from '../../../schemas/catalogue.ts';
import { BrandMention } from '../../../schemas/story.ts';
import { idOf } from '../../projector/signal-events.ts';

const brand = (slug: string, name: string, more: object) => CatalogueBrand.parse({ slug, name, ...more });

/** Three rivals and a sister in grocery, four D2C brands, and a listed jeweller. */
export const companies = companiesIn([
  brand('kiri-foods', 'Kiri Foods', { category: 'hypermarkets_and_grocery', nse: 'KIRI' }),
  brand('maya-stores', 'Maya Stores', { category: 'hypermarkets_and_grocery', aliases: ['Maya'] }),
  brand('tara-mart', 'Tara Mart', { category: 'hypermarkets_and_grocery' }),
  brand('kiri-fresh', 'Kiri Fresh', { category: 'hypermarkets_and_grocery', parent: 'kiri-foods' }),
  brand('nila', 'Nila', { category: 'beauty', kind: 'd2c' }),
  brand('sona', 'Sona', { category: 'fashion', kind: 'd2c' }),
  brand('mira', 'Mira', { category: 'eyewear', kind: 'd2c' }),
  brand('ola-mala', 'Ola Mala', { category: 'pet_care', kind: 'd2c' }),
  brand('zari', 'Zari', { category: 'jewellery', nse: 'ZARI' }),
]);

const NAMES: Readonly<Record<string, string>> = {
  'kiri-foods': 'Kiri Foods',
  'maya-stores': 'Maya Stores',
  'tara-mart': 'Tara Mart',
  'kiri-fresh': 'Kiri Fresh',
  nila: 'Nila',
  sona: 'Sona',
  mira: 'Mira',
  'ola-mala': 'Ola Mala',
  zari: 'Zari',
};

/** A move about one brand. @param day `2026-07-01` */
export const move = (name: string, day: string, slug: string, changes: Partial<MoveFacts>): RecordedMove => ({
  signal: idOf(name),
  published_at: `${day}T05:00:00.000Z`,
  move: 'strategy',
  kind: null,
  headline: `${NAMES[slug]} in the news`,
  brands: [BrandMention.parse({ slug, name: NAMES[slug], role: 'primary' })].map((one) => ({
    slug: one.slug,
    name: one.name,
  })),
  people: [],
  openings: [],
  deal: null,
  results: [],
  follows: null,
  ...changes,
});

/** The opening of a store. */
export const opens = (name: string, day: string, slug: string, city: string, mall: string | null = null) =>
  move(name, day, slug, {
    move: 'stores',
    kind: 'Store opening',
    headline: `${NAMES[slug]} opens store in ${city}${mall ? ` at ${mall}` : ''}`,
    openings: [{ brand: NAMES[slug] ?? slug, city, mall, locality: null, stores: 1, status: 'opened', date: null }],
  });

export const seatMove = (changes: Partial<Appointment>): SeatMove => ({
  person: 'Asha Rao',
  company: 'Kiri Foods',
  role: 'CFO',
  direction: 'left',
  from: null,
  to: null,
  effective: null,
  seats: ['chief financial officer'],
  is_c_suite: true,
  ...changes,
});

/** The exit of a top manager. */
export const leaves = (name: string, day: string, slug: string, person: string) =>
  move(name, day, slug, {
    move: 'people',
    kind: 'Exit',
    headline: `${person} leaves ${NAMES[slug]} as CFO`,
    people: [seatMove({ person, company: NAMES[slug] ?? slug })],
  });

/** A funding round. */
export const raises = (name: string, day: string, slug: string, amount: string) =>
  move(name, day, slug, {
    move: 'deals',
    kind: 'Funding',
    headline: `${NAMES[slug]} raises ${amount}`,
    deal: { type: 'funding', amount, target: NAMES[slug] ?? slug, buyers: [], status: 'agreed' },
  });

/** Results with a growth of revenue. */
export const grows = (name: string, day: string, slug: string, period: string, growth_pct: number) =>
  move(name, day, slug, {
    move: 'results',
    kind: 'Quarterly results',
    headline: `${NAMES[slug]} revenue up ${growth_pct}% in ${period}`,
    results: [{ company: NAMES[slug] ?? slug, period, metric: 'revenue', value: null, growth_pct }],
  });

/** The last of some moves, compared with those before it. @param since of the record */
export function compared(moves: readonly RecordedMove[], since = '2026-06-01'): Compared {
  const signal = moves.at(-1);
  if (!signal) throw new Error('at least one move is needed');
  return { signal, companies, record: { since: `${since}T00:00:00.000Z`, moves: moves.slice(0, -1) } };
}
