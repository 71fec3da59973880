/** Answers that are a list of signals: what happened, who did something, when, why, and the reports behind an answer. */

import type { PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { dayInWords, istDay } from '../../language/days.ts';
import { formatCount } from '../../language/prose.ts';
import { isOrdinary } from '../../language/words.ts';
import { type Basis, type Draft, escapeMarkdown, nothing, quotation, type Sentence } from '../draft.ts';
import { type Evidence, hasName, hasWord, stemsOf } from '../evidence.ts';
import { slugsOf } from '../evidence-fit.ts';
import type { Found } from '../find-evidence.ts';
import type { TypedQuery } from '../question/typed-query.ts';
import { disagreements } from './disagreement.ts';
import {
  bullet,
  differenceOf,
  leadSentence,
  NOUNS,
  quoted,
  reportBullet,
  scopeOf,
  subjectOf,
  TIME,
  youngRecord,
} from './sentences.ts';

/** Bullets below the direct answer. */
export const MAX_ITEMS = 12;

/** What the signals of a query are called: `deals`, `store moves`, `signals`. */
export function thingsOf({ kinds }: TypedQuery, count: number): string {
  const [kind, ...others] = kinds;
  return kind && others.length === 0 ? formatCount(count, ...NOUNS[kind]) : formatCount(count, 'signal');
}

/** What was asked, in words: `deals about Trent in June 2026`. */
const askedFor = (query: TypedQuery): string => {
  const [kind, ...others] = query.kinds;
  const things = kind && others.length === 0 ? NOUNS[kind][1] : 'signals';
  const [about, where] = [subjectOf(query), scopeOf(query)];
  return [things, about && `about ${about}`, where].filter(Boolean).join(' ');
};

/** How many fit, and how many of them are listed. */
const countNote = (query: TypedQuery, listed: number, all: number, isCut: boolean): string[] =>
  all > listed
    ? [
        `${listed} of ${isCut ? 'more than ' : ''}${thingsOf(query, all)} that fit are listed. Narrow the question by brand, place or time for the rest.`,
      ]
    : [];

/** Ordinary words may be there in another wording: that they are missing says nothing. */
const isTerm = (word: string): boolean => word.length > 3 && !isOrdinary(word) && !/(?:ing|ed)$/.test(word);

export const unmetNote = ({
  unmet,
  coverage,
  isByChance,
}: Pick<Found, 'unmet' | 'coverage' | 'isByChance'>): string[] => {
  // What was chosen by its chance says what is asked in words of its own.
  const terms = coverage < 1 && !isByChance ? unmet.filter(isTerm).slice(0, 5) : [];
  return terms.length > 0 ? [`No signal listed mentions ${terms.map((word) => quotation(word)).join(', ')}.`] : [];
};

/** The basis of a list: names only, what likely answers, or what has some of the words. */
function basisOf(query: TypedQuery, { coverage, unmet, givenUp, isByChance }: Found): Basis {
  if (givenUp.length > 0) return 'nearest';
  if (query.words.length === 0) return 'named';
  return isByChance || unmet.length === 0 || coverage >= 0.5 ? 'likely' : 'loosely';
}

/** A draft that answers nothing, with the nearest signals, and how these differ from what was asked. */
export const nearest = (lead: string, close: readonly Evidence[], how = ''): Draft =>
  nothing(
    lead,
    close.length > 0 ? [`The nearest signals${how && `, ${how},`} are listed.`] : [],
    close.map((one) => bullet(one)),
  );

/** The draft when nothing fits: what was looked for, and the nearest signals. */
export function refuse(
  query: TypedQuery,
  { near, givenUp, evidence }: Pick<Found, 'near' | 'givenUp' | 'evidence'>,
): Draft {
  const close = near.length > 0 ? near : evidence.slice(0, 3);
  const about = subjectOf(query) || query.places.length > 0 || query.period !== null;
  const lead = about
    ? `No ${askedFor(query)} found that answer this.`
    : 'No signal found that answers this. The record contains dated moves in Indian retail: store openings, deals, people, results, launches, strategy and rules.';
  return about ? nearest(lead, close, differenceOf(givenUp)) : nothing(lead);
}

/** Who bought or put up money, by all reports of a deal, where that is asked for. */
const buyersOf = ({ deal }: TypedQuery, { reports }: Evidence): string[] => {
  const named = deal?.role === 'target' ? reports.flatMap(({ facts }) => facts?.deal?.buyers ?? []) : [];
  return [...new Set(named.flatMap((name) => name.toLowerCase().split(/\s+/)))];
};

/** The evidence, the best first under a direct answer, then by date. */
export function list(query: TypedQuery, retrieval: Found, words: readonly string[] = query.words): Draft {
  const limit = Math.min(query.limit ?? MAX_ITEMS + 1, MAX_ITEMS + 1);
  const { evidence } = retrieval;
  const [top] = evidence;
  if (!top) return refuse(query, retrieval);
  const chosen = evidence.slice(0, limit);
  const others = chosen.filter((one) => one !== top);
  const buyers = buyersOf(query, top);
  if (query.order === 'relevance') others.sort((one, other) => (one.day < other.day ? 1 : -1));
  return {
    lead: [leadSentence(top, buyers.length > 0 ? buyers : words), ...disagreements([top])],
    items: others.map((one) => bullet(one)),
    notes: [
      ...countNote(query, chosen.length, evidence.length, retrieval.isCut),
      ...(retrieval.givenUp.length > 0
        ? [`Nothing on record fits exactly; these are the nearest signals, ${differenceOf(retrieval.givenUp)}.`]
        : []),
      ...unmetNote(retrieval),
      ...youngRecord(query, retrieval),
    ],
    basis: basisOf(query, retrieval),
  };
}

/** Reports that are shown where none surely answers. */
const SHOWN = 5;

/** The reports that are most likely to answer, said to be no more than that. */
export const closest = (evidence: readonly Evidence[], words: readonly string[]): Draft => ({
  lead: [{ markdown: 'Nothing on record surely answers this. The closest reports:', ids: [], quotes: [] }],
  items: evidence.slice(0, SHOWN).map((one) => reportBullet(one, words)),
  notes: [],
  basis: 'closest',
});

/** What happened, by the weight of the events where the question has no words or order of its own. */
export function happened(query: TypedQuery, retrieval: Found, words: readonly string[] = query.words): Draft {
  // How much a report is about a topic shows in its words.
  const isTopic = query.brands.length === 0 && (query.themes.length > 0 || query.categories.length > 1);
  if (query.order !== 'relevance' || query.words.length > 0 || isTopic) return list(query, retrieval, words);
  // What is about all of the companies of the question comes before what is about one, and that before what only mentions it.
  const named = ({ signal, about }: Evidence): number =>
    query.brands.reduce(
      (sum, { slug }) => sum + (about.includes(slug) ? 2 : signal.brands.some((brand) => brand.slug === slug) ? 1 : 0),
      0,
    );
  const evidence = retrieval.evidence.toSorted(
    (one, other) => named(other) - named(one) || other.salience - one.salience || (one.day < other.day ? 1 : -1),
  );
  return list({ ...query, order: 'salience' }, { ...retrieval, evidence });
}

/** When it happened: the day of the first signal that fits, as far as it is known, else the line that states a time. */
export function when(query: TypedQuery, retrieval: Found): Draft {
  const [top] = retrieval.evidence;
  if (!top) return refuse(query, retrieval);
  const { event_at } = top.signal;
  const dated = event_at ? undefined : top.stored.split('\n').find((line) => TIME.test(line));
  const claim = event_at ? `On ${dayInWords(istDay(new Date(event_at)))}` : 'Reported as follows';
  const others = retrieval.evidence.slice(1, 6);
  return {
    lead: [quoted(top, [...new Set([top.headline, ...(dated ? [dated] : [])])], claim)],
    items: others.map((one) => bullet(one)),
    notes: unmetNote(retrieval),
    basis: basisOf(query, retrieval),
  };
}

/** How reports state a reason. "After" is one of time alone, but what headlines put after it is the reason they mean. */
const CAUSE =
  /\b(?:because|due to|owing to|on account of|after(?! (?:\w+ ){1,2}(?:years?|months?|weeks?|days?|quarters?))|amid|follow(?:s|ing|ed)|driven by|led by|thanks to|on the back of|aided by|hit by|weigh\w*|blam\w+|cit(?:es|ing|ed)|attribut\w+|found fault with|concerns|to (?:cut|focus|reduce|improve|fund|expand|strengthen|comply)|over (?:\w+ ){0,3}(?:dispute|row|concerns?|violations?|norms|allegations?|complaints?|dues|issues?|safety))\b|\bas (?:\w+ ){1,4}(?:rise|rises|rose|fall|falls|fell|jump\w*|surge\w*|slow\w*|weigh\w*|hit|grow\w*|grew|drop\w*|gain\w*)\b|\b(?:fall|fell|drop|declin|dip|slip|slid|slump|plung|rise|rose|jump|surg|climb|gr[eo]w|gain|widen|narrow)\w*\b.{0,40}? on (?!\d|year|quarter|month|nse|bse|the (?:nse|bse))|\b(?:fine[ds]?|penal\w+|notices?|pay)\b.* (?:for|over) (?!(?-i:[A-Z₹]))/i;

/** The headline, and the lines of reports that state a reason, at most. */
const MAX_REASONS = 3;

/**
 * Why: the line of a report of the event that states a reason, in the words of its source. The event is the first signal that
 * fits, with what else is of its kind, about the same brands and has as many words of the question, in what was found and in the
 * closest reports.
 */
export function why(query: TypedQuery, retrieval: Found, words: readonly string[] = query.words): Draft {
  const [top] = retrieval.evidence;
  if (!top) return refuse(query, retrieval);
  const met = (stems: ReadonlySet<string>): number => words.filter((word) => hasWord(stems, word)).length;
  const isSame = ({ about, signal: { move }, stems }: Evidence): boolean =>
    move === top.signal.move && about.some((slug) => top.about.includes(slug)) && met(stems) >= met(top.stems);
  const event =
    query.among.length > 0
      ? [top]
      : [
          ...new Map(
            [top, ...[...retrieval.evidence, ...retrieval.ranked].filter(isSame)].map((one) => [one.signal.id, one]),
          ).values(),
        ];
  // Why something fell is not said by a line on how it rose.
  const isOpposite = (line: string): boolean =>
    [['fall', 'rise'] as const, ['rise', 'fall'] as const].some(
      ([wanted, other]) =>
        words.some((word) => hasWord(stemsOf(wanted), word)) &&
        hasWord(stemsOf(line), other) &&
        !hasWord(stemsOf(line), wanted),
    );
  const stated = event
    .flatMap((one) =>
      one.stored.split('\n').flatMap((line) => (CAUSE.test(line) && !isOpposite(line) ? [{ one, line }] : [])),
    )
    .toSorted((one, other) => met(stemsOf(other.line)) - met(stemsOf(one.line)));
  const [first] = stated;
  if (!first) {
    const own = list({ ...query, order: 'newest' }, { ...retrieval, evidence: event });
    const lead = { markdown: 'No report was found that gives the reason. The reports of it:', ids: [], quotes: [] };
    return { ...own, lead: [lead], items: [...own.lead, ...own.items], basis: 'loosely' };
  }
  const others = retrieval.evidence.filter((one) => one !== first.one).slice(0, 5);
  const reasons = stated.filter(({ one }) => one === first.one).map(({ line }) => line);
  return {
    lead: [quoted(first.one, [...new Set([first.one.headline, ...reasons])].slice(0, MAX_REASONS))],
    items: others.map((one) => bullet(one)),
    notes: ['The reason is given in the words of the report.', ...unmetNote(retrieval)],
    basis: 'likely',
  };
}

/** The reports behind signals: every outlet with its headline, day and link. */
export function sources(evidence: readonly Evidence[]): Draft {
  const rows = evidence.flatMap((one) => one.reports.map((report) => ({ one, report })));
  if (rows.length === 0) return nothing('Ask a question first: its sources are listed then.');
  const items = rows.slice(0, 2 * MAX_ITEMS).map(({ one, report }): Sentence => {
    const day = report.published_at ? `${dayInWords(istDay(new Date(report.published_at)))}, ` : '';
    return {
      markdown: `${day}${escapeMarkdown(report.outlet)}: ${escapeMarkdown(report.title)} (${linked(report.url)})`,
      ids: [one.signal.id],
      quotes: [{ id: one.signal.id, text: report.title }],
    };
  });
  const lead: Sentence = {
    markdown: `${formatCount(rows.length, 'report')} of ${formatCount(evidence.length, 'signal')}:`,
    ids: evidence.map(({ signal }) => signal.id),
    quotes: [],
  };
  return { lead: [lead], items, notes: [], basis: 'fact' };
}

const linked = (url: string): string => (/^https?:\/\/[^\s<>()]+$/.test(url) ? `<${url}>` : 'no link');

/** Whether a text names a company only as the owner of another: "Walmart-backed Flipkart" does nothing of Walmart's. */
function isOnlyOwner(name: string, text: string): boolean {
  const owner = new RegExp(`${RegExp.escape(name)}(?:-| )(?:backed|owned|led|funded|promoted|controlled)\\b`, 'gi');
  return owner.test(text) && !text.replace(owner, ' ').toLowerCase().includes(name.toLowerCase());
}

/** Words by which a report of another kind states a deal: a regulator clears a merger, a retailer invests in what it owns. */
const DEALS = ['acquire', 'invest', 'merge'];

/**
 * What reports have both sides of what a question takes for a fact; null for a question that takes nothing for one.
 */
export function evidenceOfPremise(
  { premise }: Pick<TypedQuery, 'premise'>,
  retrieval: Found,
  catalogue: PreparedCatalogue,
): Evidence[] | null {
  if (!premise) return null;
  const isIn = ({ slug, name }: typeof premise.subject, { signal, about, stems }: Evidence): boolean => {
    const family = slug === null ? [] : slugsOf([{ slug, name }], catalogue);
    return (
      hasName(stems, name) ||
      [...about, ...signal.brands.map((brand) => brand.slug)].some((one) => family.includes(one))
    );
  };
  const isSaid = ({ signal, stems }: Evidence): boolean =>
    signal.move === premise.kind || (premise.kind === 'deals' && DEALS.some((word) => hasWord(stems, word)));
  const ids = new Set<string>();
  return [...retrieval.evidence, ...retrieval.near, ...retrieval.ranked].filter(
    (one) =>
      isIn(premise.subject, one) &&
      isIn(premise.object, one) &&
      isSaid(one) &&
      !isOnlyOwner(premise.subject.name, one.stored) &&
      !ids.has(one.signal.id) &&
      ids.add(one.signal.id),
  );
}

/** The draft where nothing on record has what a question takes for a fact. */
export function falsePremise(premise: NonNullable<TypedQuery['premise']>, retrieval: Found): Draft {
  return nearest(
    `No ${NOUNS[premise.kind][0]} between ${escapeMarkdown(premise.subject.name)} and ${escapeMarkdown(premise.object.name)} is on record.`,
    [...retrieval.evidence, ...retrieval.near].slice(0, 3),
  );
}
