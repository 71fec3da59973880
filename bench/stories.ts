/** Made-up stories, as long as real ones. */
import type { Move } from '../schemas/scalar.ts';
import type { BrandMention, Understanding } from '../schemas/story.ts';
import { type Chance, chance } from './chance.ts';

interface Outlet {
  readonly id: string;
  readonly name: string;
  readonly authority: number;
}

const WORDS = ['Anokhi', 'Kestrel', 'Maya', 'Tilak', 'Nimbu', 'Swara', 'Kaveri', 'Bodhi', 'Rangoli', 'Champa'] as const;
const TRADES = ['Threads', 'Foods', 'Stores', 'Shoes', 'Jewels', 'Beauty', 'Homes', 'Bakes', 'Optics', 'Toys'] as const;
/** Where it happens. */
export const CITIES = ['Pune', 'Mumbai', 'Bengaluru', 'Jaipur', 'Lucknow', 'Kochi', 'Indore', 'Guwahati'] as const;
const THEMES = ['Store expansion', 'Funding', 'Quick commerce', 'Festive season', 'Private labels'] as const;

export const OUTLETS: readonly [Outlet, ...Outlet[]] = [
  { id: 'retail-post', name: 'Retail Post', authority: 0.6 },
  { id: 'startup-wire', name: 'Startup Wire', authority: 0.5 },
  { id: 'daily-trade', name: 'Daily Trade', authority: 0.8 },
  { id: 'mall-watch', name: 'Mall Watch India', authority: 0.4 },
  { id: 'consumer-ledger', name: 'Consumer Ledger', authority: 0.7 },
];

/** The quarter of all results. */
export const QUARTER = 'Q2 FY27';

const kebab = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

/** One of about a thousand brands, few of them often. */
function brand(draw: Chance, role: BrandMention['role']): BrandMention {
  const often = Math.floor(1_000 * draw.next() ** 3);
  const pick = chance(often);
  const name = `${pick.one(WORDS)} ${pick.one(TRADES)} ${often}`;
  return { slug: kebab(name), name, role, provisional: false };
}

/** Headline, sentence and figure of each kind of move that is told, ₹ and all. */
const tell = (move: Move, name: string, city: string, other: string, figure: number): [string, string, string] => {
  const told: Partial<Record<Move, [string, string, string]>> = {
    stores: [
      `${name} to open ${figure} stores across ${city} and nearby towns by March`,
      `The chain will add ${figure} outlets of 2,500 sq ft each in and around ${city} with ₹${figure} crore of its own.`,
      `${figure} stores`,
    ],
    deals: [
      `${name} raises ₹${figure} crore from ${other} to enter ${city}`,
      `The ${city}-based label has closed its Series A round and will enter eight new cities within a year.`,
      `₹${figure} Cr`,
    ],
    results: [
      `${name} ${QUARTER} profit rises ${figure}% to ₹${figure} crore on festive demand`,
      `Revenue from operations grew to ₹${figure * 9} crore in the quarter as ${city} stores drew more buyers than last year.`,
      `+${figure}%`,
    ],
  };
  return (
    told[move] ?? [
      `${name} names former ${other} head as chief executive for ${city}`,
      `The appointment takes effect at once; the company has run without a chief executive for ${figure} days till now.`,
      `${figure} days`,
    ]
  );
};

const appointmentOf = (company: string, before: string): Understanding['people'][number] => {
  const titled = { person: `Asha ${before.split(' ')[0]}`, role: 'chief executive', direction: 'joined' as const };
  return { ...titled, company, from: before, to: null, effective: null };
};

const resultOf = (company: string, figure: number): Understanding['result'] => {
  const told = { metric: 'profit', value: `₹${figure} crore`, growth_pct: figure };
  return { company, period: QUARTER, ...told };
};

/** What would be understood of a story. */
export function understandingOf(draw: Chance): Understanding {
  const move = draw.one<Move>(['stores', 'stores', 'deals', 'results', 'people', 'launches', 'strategy']);
  const [about, other] = [brand(draw, 'primary'), brand(draw, 'secondary')];
  const city = draw.one(CITIES);
  const figure = draw.between(3, 400);
  const [headline, sentence, delta] = tell(move, about.name, city, other.name, figure);
  const theme = draw.one(THEMES);
  const summary = draw.happens(0.75) ? sentence : null;
  const opening = { brand: about.name, city, mall: null, locality: null, stores: figure, status: 'planned' as const };
  return {
    move,
    kind: null,
    headline,
    deck: summary,
    summary,
    key_facts: summary ? [summary] : [],
    delta,
    event_at: draw.happens(0.3) ? '2026-11-20T18:30:00Z' : null,
    theme: draw.happens(0.6) ? { slug: kebab(theme), name: theme } : null,
    brands: draw.happens(0.3) && other.slug !== about.slug ? [about, other] : [about],
    cities: draw.happens(0.6) ? [city] : [],
    mall: null,
    people: move === 'people' ? [appointmentOf(about.name, other.name)] : [],
    openings: move === 'stores' ? [{ ...opening, date: null }] : [],
    deal: move === 'deals' ? { type: 'funding', amount: delta, target: about.name, buyers: [other.name] } : null,
    result: move === 'results' ? resultOf(about.name, figure) : null,
  };
}
