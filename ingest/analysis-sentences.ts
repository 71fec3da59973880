/**
 * The sentences of an analysis: what a signal is against the record before it. Pure.
 *
 * A sentence is written only from facts that are certain: the catalogue knows the brand, the headline names it, and the fact
 * is stated in the headline too. What may be two reports of one event is counted once, and a signal that may be another report of
 * an event on record is not counted at all. A sentence that counts says since when the record is kept; "first" and "largest"
 * need 30 days of it.
 */

import { DAY, daysBetween, formatDay } from '../language/days.ts';
import { findFigures } from '../language/figures.ts';
import { quarterDays, quarterName, quarterOrder } from '../language/fiscal.ts';
import { rupeeRange } from '../language/money.ts';
import { numberInWords, ordinalInWords } from '../language/numbers.ts';
import { joinNames } from '../language/prose.ts';
import type { RecordBefore, RecordedMove, SeatMove } from '../projector/models/moves-queries.ts';
import type { Category } from '../schemas/catalogue.ts';
import { categoryName } from '../schemas/directory.ts';
import { Quarter } from '../schemas/moves-by-kind.ts';
import type { AnalysisSentence } from '../schemas/signal.ts';
import {
  COUNTED,
  type Companies,
  type Company,
  certainPeople,
  certainResult,
  companyOf,
  contains,
  distinct,
  eventsBefore,
  isOf,
  mayBeOne,
  named,
  onlyBrand,
  openingOf,
  roundOf,
  sameName,
  sharesName,
  TO_COME,
} from './analysis-facts.ts';

/** Days of record before something is called the first or the largest. */
const MIN_DAYS = 30;
/** Moves of a brand on record before something is called its first. */
const MIN_MOVES = 3;
/** Rounds on record before one is called the largest. */
const MIN_ROUNDS = 3;
/** A competitor's move is mentioned for so many days. */
const RECENT_DAYS = 30;
const MAX_SENTENCES = 2;
const MAX_NAMED = 3;
/** Days between two moves of a brand of different kinds that are surely two events. */
const MIN_APART = 7;

/** `12 days before`, `the same day`. */
function before(earlier: RecordedMove, { published_at }: RecordedMove): string {
  const days = daysBetween(earlier.published_at, published_at);
  return days === 0 ? 'on the same day' : `${days === 1 ? 'one day' : `${numberInWords(days)} days`} before`;
}

/** Ends a sentence with a full stop, unless a name such as `Avenue Supermarts Ltd.` already does. */
const endSentence = (text: string): string => (/[.?!][”"]?$/.test(text) ? text : `${text}.`);

/** What the sentences of a signal are written from. */
export interface Compared {
  readonly signal: RecordedMove;
  readonly record: RecordBefore;
  readonly companies: Companies;
}

/** A sentence before it is placed: its text without a full stop, and the moves that it was computed from. */
interface Said {
  readonly text: string;
  readonly from: readonly RecordedMove[];
}

const daysOnRecord = ({ signal, record }: Compared): number =>
  record.since === null ? 0 : (Date.parse(signal.published_at) - Date.parse(record.since)) / DAY;

const onRecord = ({ record, signal }: Compared): string =>
  `on record since ${formatDay(record.since ?? signal.published_at)}`;

// Why it matters, most significant first.

function nextOfCase({ signal, record }: Compared): Said | null {
  if (signal.move !== 'rules') return null;
  const earlier = record.moves.find((one) => one.signal === signal.follows);
  return (
    (earlier && {
      text: `It takes further what was reported on ${formatDay(earlier.published_at)}: “${earlier.headline}”`,
      from: [earlier],
    }) ??
    null
  );
}

/** It fills a position that became vacant in an earlier signal. */
function fillsPosition({ signal, record, companies }: Compared): Said | null {
  for (const { one, company } of certainPeople(signal, companies)) {
    if (one.direction === 'left' || one.seats.length === 0) continue;
    for (const earlier of record.moves.toReversed()) {
      const left = certainPeople(earlier, companies).find(
        (exit) =>
          exit.company.slug === company.slug &&
          exit.one.direction === 'left' &&
          exit.one.seats.some((seat) => one.seats.includes(seat)) &&
          !sharesName(exit.one.person, one.person),
      );
      if (left)
        return {
          text: `It fills the seat of ${one.role} that ${left.one.person} left, as reported on ${formatDay(earlier.published_at)}`,
          from: [earlier],
        };
    }
  }
  return null;
}

/** `Asha Rao (CFO, 3 July 2026)`. */
const exitNamed = (one: SeatMove, { published_at }: RecordedMove): string =>
  `${one.person} (${[one.role, formatDay(published_at)].filter(Boolean).join(', ')})`;

/** How many top managers have left. */
function exits(compared: Compared): Said | null {
  const { signal, record, companies } = compared;
  const exitOf = (move: RecordedMove) =>
    certainPeople(move, companies).find(({ one }) => one.direction === 'left' && one.is_c_suite);
  const company = exitOf(signal)?.company;
  if (!company) return null;
  const exits = record.moves.flatMap((move) => {
    const exit = exitOf(move);
    return exit?.company.slug === company.slug ? [{ move, one: exit.one }] : [];
  });
  const events = eventsBefore(
    signal,
    exits.map(({ move }) => move),
  );
  if (!events || events.length === 0) return null;
  const names = exits.filter(({ move }) => events.includes(move)).map(({ one, move }) => exitNamed(one, move));
  return {
    text: `It is the ${ordinalInWords(events.length + 1)} C-suite exit at ${company.name} ${onRecord(compared)}, after ${joinNames(names.slice(-MAX_NAMED))}`,
    from: events,
  };
}

/** The brand's first opening in a city. */
function firstInCity(compared: Compared): Said | null {
  const { signal, record, companies } = compared;
  const opened = openingOf(signal, companies);
  if (!opened?.isOpen || COUNTED.test(signal.headline) || daysOnRecord(compared) < MIN_DAYS) return null;
  const { company, city } = opened;
  const ofBrand = record.moves.filter(isOf(company));
  const isThere = (move: RecordedMove): boolean =>
    move.openings.some((one) => sameName(one.city, city)) || contains(move.headline, city);
  if (ofBrand.length < MIN_MOVES || ofBrand.some(isThere)) return null;
  const elsewhere = ofBrand.filter(({ move }) => move === 'stores');
  return {
    text: `It is the first move of ${company.name} in ${city} ${onRecord(compared)}, among ${ofBrand.length + 1} signals about it`,
    from: elsewhere.length > 0 ? elsewhere : ofBrand,
  };
}

const growth = (percent: number): string => `${percent < 0 ? 'a fall' : 'growth'} of ${Math.abs(percent)}%`;

/** Growth against an earlier period of the same company. */
function growthBefore({ signal, record, companies }: Compared): Said | null {
  const now = certainResult(signal, companies);
  if (!now) return null;
  for (const earlier of record.moves.toReversed()) {
    const then = certainResult(earlier, companies);
    if (!then || then.company.slug !== now.company.slug || !sameName(then.result.metric, now.result.metric)) continue;
    if (!precedes(then.result.period, now.result.period)) continue;
    return {
      text: `${now.company.name} had reported ${growth(then.result.growth_pct)} in ${now.result.metric} for ${then.result.period}, against ${growth(now.result.growth_pct)} for ${now.result.period}`,
      from: [earlier],
    };
  }
  return null;
}

/** Whether one period is before another of the same length. */
function precedes(one: string, other: string): boolean {
  const [a, b] = [Quarter.safeParse(one).data, Quarter.safeParse(other).data];
  if (a && b) return quarterOrder(a) < quarterOrder(b);
  const [year, next] = [/^FY(\d\d)$/.exec(one)?.[1], /^FY(\d\d)$/.exec(other)?.[1]];
  return year !== undefined && next !== undefined && Number(year) < Number(next);
}

/** What competitors reported for the same period. */
function growthOfPeers({ signal, record, companies }: Compared): Said | null {
  const now = certainResult(signal, companies);
  if (!now) return null;
  const { company, result } = now;
  const results = new Map<string, { name: string; growth_pct: number; from: RecordedMove }>();
  for (const earlier of record.moves) {
    const then = certainResult(earlier, companies);
    if (!then || then.result.period !== result.period || !sameName(then.result.metric, result.metric)) continue;
    if (companies.areRivals(company, then.company))
      results.set(then.company.slug, { name: then.company.name, growth_pct: then.result.growth_pct, from: earlier });
  }
  const peers = [...results.values()].slice(-MAX_NAMED).toSorted((one, other) => other.growth_pct - one.growth_pct);
  if (peers.length === 0) return null;
  return {
    text: `For ${result.period}, ${joinNames(peers.map((one) => `${one.name} reported ${growth(one.growth_pct)}`))} in ${result.metric}, also in ${nameOf(company.category)}`,
    from: peers.map(({ from }) => from),
  };
}

/** The largest round among peers on record. */
function largestRound(compared: Compared): Said | null {
  const { signal, record, companies } = compared;
  const round = roundOf(signal, companies);
  if (!round || daysOnRecord(compared) < MIN_DAYS) return null;
  const { company } = round;
  const isPeer = (other: Company): boolean => (company.isD2c ? other.isD2c : other.category === company.category);
  const rounds = record.moves.flatMap((move) => {
    const other = roundOf(move, companies);
    return other && isPeer(other.company) ? [{ ...other, move }] : [];
  });
  const own = record.moves.filter((move) => move.move === 'deals' && isOf(company)(move));
  if (eventsBefore(signal, own) === null || distinct(rounds.map(({ move }) => move)).length < MIN_ROUNDS) return null;
  // Of a deal whose type or company is in doubt, every sum counts as if it were a round.
  const mayBeLarger = (move: RecordedMove): boolean =>
    move.move === 'deals' &&
    move.brands.some(({ slug }) => [companies.of(slug)].some((one) => one !== null && isPeer(one))) &&
    (move.deal === null || move.deal.type === 'funding') &&
    findFigures(`${move.headline} . ${move.deal?.amount ?? ''}`).some(
      ({ kind, unit, high }) => kind === 'money' && rupeeRange(high, unit).high >= round.low,
    );
  if (record.moves.some(mayBeLarger)) return null;
  const next = rounds.reduce((largest, one) => (one.low > largest.low ? one : largest));
  const among = company.isD2c ? 'D2C brands' : `${nameOf(company.category)} companies`;
  return {
    text: `It is the largest funding round of ${among} with a stated amount ${onRecord(compared)}; the next is ${next.company.name} with ${next.amount} (${formatDay(next.move.published_at)})`,
    from: rounds.map(({ move }) => move),
  };
}

/** The nth acquisition by a company. */
function acquisitions(compared: Compared): Said | null {
  const { signal, record, companies } = compared;
  const acquirer = (move: RecordedMove): Company | null =>
    move.move === 'deals' && move.deal?.type === 'acquisition' && move.deal.status !== 'rumoured' && move.deal.target
      ? (move.deal.buyers.map((buyer) => companyOf(move, buyer, companies)).find((one) => one !== null) ?? null)
      : null;
  const company = acquirer(signal);
  if (!company || TO_COME.test(signal.headline)) return null;
  const events = eventsBefore(
    signal,
    record.moves.filter((move) => acquirer(move)?.slug === company.slug && !TO_COME.test(move.headline)),
  );
  const last = events?.at(-1);
  return events && last
    ? {
        text: `It is the ${ordinalInWords(events.length + 1)} acquisition by ${company.name} ${onRecord(compared)}, after “${last.headline}” (${formatDay(last.published_at)})`,
        from: events,
      }
    : null;
}

const CATEGORY_NAMES: Partial<Record<Category, string>> = { fmcg: 'FMCG', ecommerce: 'e-commerce' };
const nameOf = (category: Category): string => CATEGORY_NAMES[category] ?? categoryName(category);

// Background: what else is on record.

/** Whether a competitor did what the signal reports: money that is still sought was not raised. */
function sameDeed(signal: RecordedMove, earlier: RecordedMove, companies: Companies): boolean {
  if (earlier.move !== signal.move || earlier.kind !== signal.kind) return false;
  if (signal.move === 'stores') return [signal, earlier].every((move) => openingOf(move, companies)?.isOpen);
  if (signal.move === 'people') {
    const [[one], [other]] = [certainPeople(signal, companies), certainPeople(earlier, companies)];
    return other?.one.seats.some((seat) => one?.one.seats.includes(seat)) ?? false;
  }
  const { deal, headline } = earlier;
  return deal === null || deal.type === 'ipo' || (deal.status !== 'rumoured' && !TO_COME.test(headline));
}

/** A competitor that did the same in the last weeks; for a store, in the same city. */
function rivals({ signal, record, companies }: Compared): Said | null {
  const opened = openingOf(signal, companies);
  const company = opened?.company ?? certainPeople(signal, companies)[0]?.company ?? onlyBrand(signal, companies);
  if (!company || !companies.hasRivals(company)) return null;
  const alike = record.moves.flatMap((earlier) => {
    if (daysBetween(earlier.published_at, signal.published_at) > RECENT_DAYS || sharesBrand(signal, earlier)) return [];
    const other = openingOf(earlier, companies)?.company ?? onlyBrand(earlier, companies);
    return other && companies.areRivals(company, other) && sameDeed(signal, earlier, companies)
      ? [{ earlier, other }]
      : [];
  });
  const isNear = ({ earlier }: (typeof alike)[number]): boolean =>
    opened === null || sameName(earlier.openings[0]?.city ?? null, opened.city);
  const last = alike.findLast(isNear);
  return last
    ? {
        text: `${last.other.name}, also in ${nameOf(company.category)}, ${before(last.earlier, signal)}: “${last.earlier.headline}”`,
        from: [last.earlier],
      }
    : null;
}

const sharesBrand = (one: RecordedMove, other: RecordedMove): boolean =>
  one.brands.some(({ slug }) => other.brands.some((brand) => brand.slug === slug));

/**
 * An earlier move of the brand, of the same kind before others, that is surely another event. It is not called the last one:
 * a later move may have been left out, since it may be the same event.
 */
function earlierMove({ signal, record, companies }: Compared): Said | null {
  for (const { name } of signal.brands) {
    const company = companyOf(signal, name, companies);
    if (!company) continue;
    const others = record.moves.filter(
      (move) =>
        isOf(company)(move) &&
        named(move.headline, company) &&
        !mayBeOne(signal, move) &&
        daysBetween(signal.published_at, move.published_at) > MIN_APART,
    );
    const earlier = others.findLast(({ move }) => move === signal.move) ?? others.at(-1);
    if (earlier)
      return {
        text: `Earlier on ${company.name}, ${before(earlier, signal)}: “${earlier.headline}”`,
        from: [earlier],
      };
  }
  return null;
}

const REASONS = [
  nextOfCase,
  fillsPosition,
  exits,
  growthBefore,
  largestRound,
  firstInCity,
  growthOfPeers,
  acquisitions,
];
const BACKGROUND = [earlierMove, rivals];

// What to watch: dates ahead and open steps.

/** A vacant position without a named successor. */
function vacantPosition({ signal, companies }: Compared): Said | null {
  const left = certainPeople(signal, companies).find(({ one }) => one.direction === 'left');
  if (!left?.one.role || !left.one.is_c_suite || signal.people.some(({ direction }) => direction !== 'left'))
    return null;
  const until = left.one.effective ? `; ${left.one.person} leaves on ${formatDay(left.one.effective)}` : '';
  return { text: `Who follows ${left.one.person} as ${left.one.role} at ${left.company.name}${until}`, from: [] };
}

function takesEffect({ signal, companies }: Compared): Said | null {
  const coming = certainPeople(signal, companies).find(({ one }) => one.direction !== 'left' && one.effective)?.one;
  return coming?.effective && Date.parse(coming.effective) > Date.parse(signal.published_at)
    ? { text: `${coming.person} takes over on ${formatDay(coming.effective)}`, from: [] }
    : null;
}

/** The day for which an opening is announced. */
function comingStore({ signal, companies }: Compared): Said | null {
  const coming = openingOf(signal, companies);
  const date = signal.openings[0]?.date;
  if (!coming || coming.isOpen || !date || Date.parse(date) <= Date.parse(signal.published_at)) return null;
  const place = [coming.mall, coming.city].filter(Boolean).join(', ');
  return { text: `The opening at ${place} is announced for ${formatDay(date)}`, from: [] };
}

/** A deal that is not agreed yet. */
function openDeal({ signal, companies }: Compared): Said | null {
  const company = signal.deal?.status === 'rumoured' ? companyOf(signal, signal.deal.target, companies) : null;
  if (!company) return null;
  return {
    text:
      signal.deal?.type === 'ipo'
        ? `Whether and when ${company.name} lists`
        : `Whether the talks of ${company.name} end in a deal`,
    from: [],
  };
}

/** Days after a quarter within which a listed company has to report it; 60 after the last one of a year. */
const DUE_DAYS = { quarter: 45, year: 60 };

/** When a listed company has to report the next quarter. */
function nextResults({ signal, companies }: Compared): Said | null {
  const now = certainResult(signal, companies);
  const quarter = now && Quarter.safeParse(now.result.period).data;
  if (!quarter || !now.company.isListed) return null;
  const order = quarterOrder(quarter);
  const next = quarterName({ quarter: (order % 4) + 1, year: Math.floor(order / 4) });
  const days = next.startsWith('Q4') ? DUE_DAYS.year : DUE_DAYS.quarter;
  const due = new Date(Date.parse(quarterDays(next).until) + days * DAY);
  return due.getTime() > Date.parse(signal.published_at)
    ? {
        text: `Results of ${now.company.name} for ${next}, due by ${formatDay(due)}: listed companies have ${days} days`,
        from: [],
      }
    : null;
}

const OUTLOOKS = [vacantPosition, takesEffect, comingStore, openDeal, nextResults];

/**
 * Writes the analysis of a signal: at most two sentences on why it matters and two of background, the most significant
 * first, and one on what to watch.
 * @returns an empty list where the record shows nothing that is certain
 */
export function writeAnalysis(compared: Compared): AnalysisSentence[] {
  const written = new Set<string>();
  const write = (
    field: AnalysisSentence['field'],
    from: readonly ((compared: Compared) => Said | null)[],
    maximum: number,
  ): AnalysisSentence[] =>
    from
      .flatMap((one) => one(compared) ?? [])
      // Background does not name again what a sentence before it is about.
      .filter(({ from: cited }) => field !== 'background' || cited.every(({ signal }) => !written.has(signal)))
      .slice(0, maximum)
      .map(({ text, from: cited }) => {
        const signals = cited.map(({ signal }) => signal);
        for (const one of signals) written.add(one);
        return { field, text: endSentence(text), signals };
      });
  return [
    ...write('why_it_matters', REASONS, MAX_SENTENCES),
    ...write('background', BACKGROUND, MAX_SENTENCES),
    ...write('what_to_watch', OUTLOOKS, 1),
  ];
}
