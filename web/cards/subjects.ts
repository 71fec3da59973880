/** The content of each card: pages, signals, brands, themes, cities, malls and groups. */

import { formatDay } from '../../language/days.ts';
import { formatCount } from '../../language/prose.ts';
import { findPublicBrand, findPublicSignal } from '../../presentation/public-records.ts';
import { clip, describeMonth, labelToWords, MOVE_NAMES, parseDocument } from '../../presentation/text.ts';
import { findTheme } from '../../projector/models/brands-queries.ts';
import { expansionMap } from '../../projector/models/expansion-map-queries.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { reportedAt, SignalDetail } from '../../schemas/resources.ts';
import { Slug } from '../../schemas/scalar.ts';
import { cityFinder, findMall, MALL_KINDS } from '../names.ts';
import type { Site } from '../site.ts';
import type { Card } from './draw.ts';

/**
 * Loads the content of a card, by the name in its address.
 * @returns the card, or the current name
 * @throws Refusal `not_found`
 */
export type CardSubject = (site: Site, name: string) => Promise<Card | { readonly redirect: string }>;

export const SUBJECTS = ['signal', 'brand', 'theme', 'city', 'mall', 'group', 'page'] as const;

/** Path of a picture; as permanent as that of its page. @param of a slug, or the name of a page */
export const cardPath = (subject: (typeof SUBJECTS)[number], of: string): string => `/card/${subject}/${of}.png`;

const pageCardOf = (heading: string, note: string): Card => ({
  kicker: [],
  heading,
  note,
  foot: ['Dated, with its source'],
});

/** The card of pages without their own. */
const GENERAL_CARD = 'clarity';

const CARDS: Readonly<Record<string, Card>> = {
  [GENERAL_CARD]: pageCardOf(
    'Every move in Indian retail, on the record',
    'Store openings, deals, people, results, launches, strategy and rules.',
  ),
  brief: pageCardOf('The morning brief', 'The top moves in Indian retail, at 07:30 every day.'),
  ask: pageCardOf('Ask the record', 'Answers in which every claim cites its signal.'),
  watch: pageCardOf('Competitor Watch', 'Several brands side by side, by kind of move.'),
  map: pageCardOf('Who is opening where', 'Store openings in India by city, mall and category.'),
  results: pageCardOf('The results season', 'Revenue, profit and margin by company, each with its report.'),
  people: pageCardOf('Who joined, left or was promoted', 'Appointments in Indian retail, and vacant seats.'),
  tables: pageCardOf('The record as tables', 'Openings, people, results, deals and enforcement, with CSV and JSON.'),
  sources: pageCardOf('Where the moves come from', 'Every source, its health, and what the feed missed.'),
  quality: pageCardOf('How right the record is', 'Precision, recall and freshness, each with its interval.'),
  developers: pageCardOf('The record as an API', 'REST, feeds, tables and the Model Context Protocol.'),
};

/** The card of a section, by the first part of the path. */
export const cardOfPath = (path: string): string => {
  const name = /^\/([a-z]+)/.exec(path)?.[1] ?? GENERAL_CARD;
  return Object.hasOwn(CARDS, name) ? name : GENERAL_CARD;
};

/** The card of a section. @throws Refusal `not_found` for a page without its own card */
export const pageCard: CardSubject = async (_site, name) => {
  const card = Object.hasOwn(CARDS, name) ? CARDS[name] : undefined;
  if (!card) throw new Refusal('not_found', 'No picture has this address.');
  return card;
};

const MAXIMUM_BRANDS = 3;

/** The outlet, and how many others report it. */
const outletsLine = ({ source, outlets }: SignalDetail): string => {
  const outlet = clip(source.outlet ?? 'Original report', 40);
  return outlets > 1 ? `${outlet} and ${formatCount(outlets - 1, 'more outlet')}` : outlet;
};

/** The card of one signal. */
export const signalCard: CardSubject = async ({ database }, slug) => {
  const record = await findPublicSignal(database, slug);
  if ('redirect' in record) return record;
  const signal = parseDocument(record.document, SignalDetail);
  const { move, kind, theme, headline, summary, brands } = signal;
  const named = brands.toSorted((one, other) => one.role.localeCompare(other.role)).slice(0, MAXIMUM_BRANDS);
  return {
    kicker: [
      MOVE_NAMES[move],
      kind && kind.toLowerCase() !== move ? clip(labelToWords(kind), 40) : '',
      theme?.name ?? '',
    ],
    day: formatDay(reportedAt(signal)),
    heading: clip(headline, 400),
    figure: signal.delta,
    note: summary === headline ? null : summary,
    foot: [outletsLine(signal), ...named.map(({ name }) => clip(name, 40))],
  };
};

/** The card of a brand. */
export const brandCard: CardSubject = async (site, slug) => {
  const profile = await findPublicBrand(site, slug);
  if ('redirect' in profile) return profile;
  const { name, stories_about, first_seen_at, last_30_days } = profile.brand;
  const since = first_seen_at ? `, on record since ${formatDay(first_seen_at)}` : '';
  return {
    kicker: ['Brand'],
    heading: name,
    note: last_30_days ? describeMonth(last_30_days) : 'No stories yet.',
    foot: first_seen_at ? [`${formatCount(stories_about, 'story', 'stories')} about it${since}`] : [],
  };
};

/** The card of a theme. */
export const themeCard: CardSubject = async ({ database, directory, baseUrl, now }, slug) => {
  const isSlug = Slug.safeParse(slug).success;
  const theme = isSlug ? await findTheme(database, slug, { now: now(), baseUrl }) : null;
  const name = directory.theme(slug)?.name ?? theme?.name;
  if (name === undefined) throw new Refusal('not_found', 'No theme of the record has this address.');
  return {
    kicker: ['Theme'],
    heading: name,
    note: theme ? describeMonth(theme.last_30_days) : 'No stories yet.',
    foot: theme ? [`${formatCount(theme.stories, 'story', 'stories')} on record`] : [],
  };
};

const CITY_DAYS = 90;
const MAXIMUM_OPENING_BRANDS = 4;

/** Makes the cards of cities. */
export function cityCard(site: Site): CardSubject {
  const find = cityFinder(site);
  return async ({ database, baseUrl, gazetteer, now }, slug) => {
    const { name, state, redirect } = await find(slug);
    if (redirect !== null) return { redirect };
    const question = { city: name, days: CITY_DAYS, limit: 30 };
    const map = await expansionMap(database, question, { now: now(), baseUrl, gazetteer });
    const brands = [...new Set(map.openings.map(({ brand }) => brand))].slice(0, MAXIMUM_OPENING_BRANDS);
    return {
      kicker: ['City', state ?? ''],
      heading: name,
      note: `${formatCount(map.openings_total, 'opening')} in ${CITY_DAYS} days${brands.length > 0 ? `: ${brands.join(', ')}` : ''}.`,
      foot: ['Who is opening, in which mall, and every move there'],
    };
  };
}

const MALL_DAYS = 365;
const MALL_BRANDS = 4;

/** The card of a mall. */
export const mallCard: CardSubject = async ({ database, baseUrl, gazetteer, now }, slug) => {
  const { name, city, kind, redirect } = findMall(gazetteer, slug);
  if (redirect !== null) return { redirect };
  const map = await expansionMap(
    database,
    { mall: name, days: MALL_DAYS, limit: 30 },
    { now: now(), baseUrl, gazetteer },
  );
  const brands = [...new Set(map.openings.map(({ brand }) => brand))].slice(0, MALL_BRANDS);
  return {
    kicker: [MALL_KINDS[kind], city],
    heading: name,
    note: `${formatCount(map.openings_total, 'opening')} in a year${brands.length > 0 ? `: ${brands.join(', ')}` : ''}.`,
    foot: ['Who opened here, and who plans to'],
  };
};

/** The card of a group of companies. It names no quarter: the address of the page is the same in every quarter. */
export const groupCard: CardSubject = async ({ directory }, slug) => {
  const group = directory.group(slug);
  if (!group) throw new Refusal('not_found', 'No group of the catalogue has this address.');
  return {
    kicker: ['Results season'],
    heading: group.name,
    note: 'Who reported, how revenue and profit grew, and what to watch.',
    foot: ['Every figure with its report'],
  };
};
