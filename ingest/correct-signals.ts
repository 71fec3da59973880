/**
 * Corrections of signals by operators: fields, reports that are about another event, and what both say as labels for
 * training. In forms and on the command line a correction is a line for each fact, its parts between bars; what is
 * shown is written in the form in which it is read. The decisions are in `signal/review-decisions.ts`.
 */

import { FACTS } from '../facts/all-facts.ts';
import type { FactKind } from '../facts/fact.ts';
import { formHelp, linesOf, readFacts, writeFacts, wrongLine } from '../facts/form-lines.ts';
import { retryConflicts } from '../log/command-handler.ts';
import type { EventStore } from '../log/event-store.ts';
import { type KnownEvent, readEvent } from '../schemas/events.ts';
import { CORRECTABLE_FACTS, type Facts, factFieldsOf, noFacts } from '../schemas/facts.ts';
import { type BrandSlug, MOVES, Move, type SignalId, StoredBrandSlug, signalId, slugify } from '../schemas/scalar.ts';
import {
  CORRECTABLE,
  type Correctable,
  type Correction,
  isSameItem,
  itemName,
  signalStream,
} from '../schemas/signal.ts';
import type { BrandMention, Understanding } from '../schemas/story.ts';
import {
  CannotReview,
  decideCorrection,
  decideReportFrom,
  decideSignalOfReport,
  decideSplit,
  type Review,
  reportToSplit,
  textAfterSplit,
  understandingFrom,
} from '../signal/review-decisions.ts';
import { foldSignal, type SignalState } from '../signal/signal.ts';
import { type KnownReport, withCorrection } from '../signal/signal-reports.ts';
import { reserveSlug } from './match/handle-story.ts';
import { changeSignal, NoSuchSignal, readSignal, signalIdOf } from './review-signals.ts';
import { labelMove } from './understand/classification.ts';

/** A brand of the catalogue by any of its names; null for one that it lacks. */
type FindBrand = (name: string) => { readonly slug: BrandSlug; readonly name: string } | null;

const factOf = (field: string): FactKind | undefined => FACTS.find(({ stored }) => stored.field === field);

/** How each field is written, for labels and for `--help`. */
export const FIELD_FORMS = {
  headline: 'what happened, in one line',
  summary: 'one or two sentences in our own words; empty for none',
  move: MOVES.join(', '),
  brands: 'names, each on a line; "(mention)" after a brand that the story is not about',
  cities: 'names, each on a line',
  delta: 'the figure, such as 40 stores or ₹120 Cr; empty for none',
  ...Object.fromEntries(FACTS.map((fact) => [fact.stored.field, formHelp(fact)])),
} as Readonly<Record<Correctable, string>>;

/** A field of a text as `readCorrection` reads it. */
export function writeField(text: Understanding, field: Correctable): string {
  switch (field) {
    case 'headline':
      return text.headline;
    case 'summary':
      return text.summary ?? '';
    case 'move':
      return text.move;
    case 'brands':
      return text.brands.map(({ name, role }) => (role === 'primary' ? name : `${name} (mention)`)).join('\n');
    case 'cities':
      return text.cities.join('\n');
    case 'delta':
      return text.delta ?? '';
    default: {
      const fact = factOf(field);
      return fact ? writeFacts(fact, text) : '';
    }
  }
}

function brandsIn(text: string, before: Understanding, find: FindBrand): BrandMention[] {
  const lines = [...new Set(linesOf(text))];
  return lines.map((line) => {
    const name = line.replace(/\s*\(mention\)$/i, '');
    const role = name === line ? 'primary' : 'secondary';
    const named = before.brands.find((brand) => brand.name === name);
    if (named) return { ...named, role };
    const listed = find(name);
    if (listed) return { slug: listed.slug, name: listed.name, role, provisional: false };
    const slug = StoredBrandSlug.safeParse(slugify(name));
    if (!slug.success) throw wrongLine('brands', line, 'is no name', FIELD_FORMS.brands);
    return { slug: slug.data, name, role, provisional: true };
  });
}

/** The longest texts that an operator writes, in characters. */
export const LONGEST_TEXTS = { headline: 300, summary: 1_000 } as const;

/** A headline or a summary in one line. @throws Refusal for one that is too long */
function lineIn(field: keyof typeof LONGEST_TEXTS, text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, ' ');
  const longest = LONGEST_TEXTS[field];
  if (line.length > longest) throw wrongLine(field, line, `is longer than ${longest} characters`, FIELD_FORMS[field]);
  return line;
}

/** Reads one field as it is written. @throws Refusal that names the line and what is allowed */
function readField(field: Correctable, text: string, before: Understanding, find: FindBrand): Correction {
  switch (field) {
    case 'headline': {
      const headline = lineIn(field, text);
      if (headline === '') throw wrongLine(field, headline, 'is no headline', FIELD_FORMS.headline);
      return { headline };
    }
    case 'summary':
      return { summary: lineIn(field, text) || null };
    case 'move': {
      const move = Move.safeParse(text.trim().toLowerCase());
      if (!move.success) throw wrongLine(field, text, 'is no kind of move', FIELD_FORMS.move);
      return { move: move.data };
    }
    case 'brands':
      return { brands: brandsIn(text, before, find) };
    case 'cities':
      return { cities: [...new Set(linesOf(text))] };
    case 'delta':
      return { delta: text.trim() || null };
    default: {
      const fact = factOf(field);
      return fact ? readFacts(fact, text) : {};
    }
  }
}

/**
 * Reads the fields that differ from what a signal says.
 * @param sent texts by field; a field that is not sent, or is as `writeField` writes it, is not corrected
 * @throws Refusal that names the field, the line and what is allowed
 */
export function readCorrection(
  before: Understanding,
  sent: Readonly<Partial<Record<Correctable, string>>>,
  find: FindBrand,
): Correction {
  const correction: Correction = {};
  for (const field of CORRECTABLE) {
    const text = sent[field]?.replaceAll('\r\n', '\n');
    if (text === undefined || text.trim() === writeField(before, field).trim()) continue;
    Object.assign(correction, readField(field, text, before, find));
  }
  return correction;
}

/** The label of a kind follows the kind and the facts, as it does when an item is understood. */
function withLabel(before: Understanding, correction: Correction): Correction {
  if (correction.move === undefined && CORRECTABLE_FACTS.every((field) => correction[field] === undefined))
    return correction;
  return { ...correction, kind: labelMove(withCorrection(before, correction)) };
}

/**
 * Corrects fields of a signal.
 * @param sent texts of the fields, see `readCorrection`
 * @param find a brand by its name
 * @param seen the number of revisions that the operator saw: a text that changed since is not overwritten unseen
 * @returns the state before
 * @throws NoSuchSignal, CannotReview, StreamContention; Refusal for a field that cannot be read
 */
export const correctSignal = (
  store: EventStore,
  idOrSlug: string,
  sent: Readonly<Partial<Record<Correctable, string>>>,
  find: FindBrand,
  review: Review,
  seen?: number,
): Promise<SignalState> =>
  changeSignal(store, idOrSlug, (state) => {
    if (seen !== undefined && state.revisions !== seen)
      throw new CannotReview(`${state.id} changed since you opened it. Look at its present text, and correct that.`);
    const before = state.understanding;
    return decideCorrection(state, withLabel(before, readCorrection(before, sent, find)), review);
  });

/** Understands the words of a report; see `Understander`. */
export type ReadReport = (report: KnownReport) => Promise<{ understanding: Understanding; understood_by: string }>;

/** A report of a signal by its number in `reports`, from 1, or by its address. @throws CannotReview */
function reportNamed(state: SignalState, name: string): KnownReport {
  const report = /^\d{1,3}$/.test(name)
    ? state.reports[Number(name) - 1]
    : state.reports.find(({ url, item_key }) => url === name || item_key === name);
  if (!report)
    throw new CannotReview(
      `${state.id} has no report ${JSON.stringify(name.slice(0, 200))}; it has ${state.reports.length}, named by number or address`,
    );
  return reportToSplit(state, report);
}

/** What the signal that gets a report needs: its events, and where they are written. */
interface Target {
  readonly id: SignalId;
  readonly slug: string;
  readonly events: readonly KnownEvent[];
  readonly revision: number | 'none';
}

/**
 * Splits a report off a signal: it becomes a signal of its own, or joins another one. Matching keeps them apart from then on.
 * @param named the report, by its number from 1 or its address
 * @param into id or slug of the signal that it joins; undefined for a signal of its own
 * @param read understands a report, whose story is not stored with the signal; null where nothing can: then only its words
 *   and facts are known of it
 * @returns the signal that has the report now
 * @throws NoSuchSignal, CannotReview, StreamContention
 */
export function splitReport(
  store: EventStore,
  idOrSlug: string,
  named: string,
  into: string | undefined,
  read: ReadReport | null,
  review: Review,
): Promise<{ readonly id: SignalId; readonly slug: string }> {
  return retryConflicts('the signals', async () => {
    const state = await readSignal(store, idOrSlug);
    const report = reportNamed(state, named);
    const textOf = async (one: KnownReport) => ({
      report: one,
      ...((await read?.(one)) ?? { understanding: understandingFrom(state, one), understood_by: state.understood_by }),
    });

    async function ownSignal(): Promise<Target> {
      for (let number = 0; ; number++) {
        // Not the id of its page, which may be that of the signal that it leaves. Done again after a crash, it is the same.
        const id = signalId([itemName(report), state.id, ...(number > 0 ? [number] : [])].join('\n'));
        const existing = foldSignal((await store.read(signalStream(id))).map((event) => readEvent(event)));
        if (!existing) return newSignal(id);
        // One that was merged since, or that lost the report, is that of an earlier split: the report would be in no signal.
        if (existing.status === 'merged' || !existing.reports.some((one) => isSameItem(one, report))) continue;
        const events = decideReportFrom(state, { report, text: await textOf(report) }, existing, review);
        return { id, slug: existing.slug, events, revision: existing.revision };
      }
    }

    async function newSignal(id: SignalId): Promise<Target> {
      const text = await textOf(report);
      const cause = { id: null, time: review.time, correlation_id: review.id };
      const slug = await reserveSlug(store, text.understanding.headline, id, cause);
      return { id, slug, events: [decideSignalOfReport(text, { id, slug }, review)], revision: 'none' };
    }

    async function otherSignal(name: string): Promise<Target> {
      const other = await readSignal(store, name);
      const { id, slug, revision } = other;
      return { id, slug, revision, events: decideReportFrom(state, { report, text: null }, other, review) };
    }

    const target = into ? await otherSignal(into) : await ownSignal();
    const rest = textAfterSplit(state, report);
    const events = decideSplit(state, report, target, rest && (await textOf(rest)), review);
    if (target.events.length > 0) await store.append(signalStream(target.id), target.events, target.revision);
    await store.append(signalStream(state.id), events, state.revision);
    return { id: target.id, slug: target.slug };
  });
}

// Decisions as labels: what an operator read and corrected or confirmed teaches understanding.

/** What an item says, in the form of the labelled items of `eval/`. */
export interface Label extends Facts {
  readonly key: string;
  readonly date: string;
  readonly outlet: string;
  readonly title: string;
  readonly summary: string | null;
  readonly url: string;
  readonly relevant: boolean;
  readonly roundup: boolean;
  readonly move: string | null;
  readonly primary: readonly string[];
  readonly secondary: readonly string[];
  readonly cities: readonly string[];
  readonly delta: string | null;
}

const NOTHING = {
  relevant: false,
  roundup: false,
  move: null,
  primary: [],
  secondary: [],
  cities: [],
  delta: null,
  ...noFacts(),
};

const LABELLING: ReadonlySet<string> = new Set(['SignalConfirmed', 'SignalCorrected', 'SignalRetracted']);

/**
 * The label that the last decision of an operator gives the report whose text a signal has, as both were at that time.
 * @param events the stream of the signal
 * @returns null where no operator confirmed, corrected or retracted it, or where it was released after a retraction
 */
export function labelOf(events: readonly KnownEvent[]): Label | null {
  const last = events.findLastIndex(
    (event) =>
      (LABELLING.has(event.type) && !(event.type === 'SignalCorrected' && event.data.taken_from)) ||
      event.type === 'SignalReleased',
  );
  const state = foldSignal(events.slice(0, last + 1));
  if (!state || events[last]?.type === 'SignalReleased') return null;
  const { text, understanding } = state;
  const { outlet, title, summary, url } = text;
  const item = { key: state.id, date: text.published_at ?? text.first_seen_at, outlet, title, summary, url };
  if (events[last]?.type === 'SignalRetracted') return { ...item, ...NOTHING };
  const { move, brands, cities, delta } = understanding;
  const named = (role: string): string[] => brands.filter((brand) => brand.role === role).map(({ name }) => name);
  return {
    ...item,
    relevant: true,
    roundup: false,
    move,
    primary: named('primary'),
    secondary: named('secondary'),
    cities,
    delta,
    ...factFieldsOf(understanding),
  };
}

/** The label of a signal by its stream. @throws NoSuchSignal */
export async function readLabel(store: EventStore, idOrSlug: string): Promise<Label | null> {
  const id = await signalIdOf(store, idOrSlug);
  const events = (await store.read(signalStream(id))).map((event) => readEvent(event));
  if (events.length === 0) throw new NoSuchSignal(idOrSlug);
  return labelOf(events);
}
