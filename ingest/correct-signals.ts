/**
 * Corrections of signals by operators: fields, reports that are about another event, and what both say as labels for
 * training. In forms and on the command line a correction is a line for each fact, its parts between bars; what is
 * shown is written in the form in which it is read. The decisions are in `signal/review-decisions.ts`.
 */

import { Deal } from '../facts/deals/fields.ts';
import { Opening } from '../facts/openings/fields.ts';
import { Appointment } from '../facts/people/fields.ts';
import { Result } from '../facts/results/fields.ts';
import { retryConflicts } from '../log/command-handler.ts';
import type { EventStore } from '../log/event-store.ts';
import { type KnownEvent, readEvent } from '../schemas/events.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import {
  type BrandSlug,
  IstDay,
  MOVES,
  Move,
  type SignalId,
  StoredBrandSlug,
  signalId,
  slugify,
} from '../schemas/scalar.ts';
import { CORRECTABLE, type Correctable, type Correction, itemName, signalStream } from '../schemas/signal.ts';
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

const people = Appointment.shape.direction.options;
const statuses = Opening.shape.status.options;
const deals = Deal.shape.type.options;
const stages = ['rumoured', 'agreed', 'completed'] as const;

/** How each field is written, for labels and for `--help`. */
export const FIELD_FORMS: Readonly<Record<Correctable, string>> = {
  move: MOVES.join(', '),
  brands: 'names, each on a line; "(mention)" after a brand that the story is not about',
  cities: 'names, each on a line',
  delta: 'the figure, such as 40 stores or ₹120 Cr; empty for none',
  people: `a line each: ${people.join('/')} | person | role | company | from | to | YYYY-MM-DD`,
  openings: `a line each: ${statuses.join('/')} | brand | city | mall | locality | stores | YYYY-MM-DD`,
  deal: `${deals.join('/')} | amount | target | buyer, buyer | rumoured/agreed/completed; empty for none`,
  result: 'a line each: company | period | metric | value | growth in per cent; empty for none',
};

const written = (...parts: readonly (string | number | null | undefined)[]): string =>
  parts
    .map((part) => String(part ?? '').replaceAll('|', '/'))
    .join(' | ')
    .replace(/(?: \|\s*)+$/, '');

/** A field of a text as `readCorrection` reads it. */
export function writeField(text: Understanding, field: Correctable): string {
  switch (field) {
    case 'move':
      return text.move;
    case 'brands':
      return text.brands.map(({ name, role }) => (role === 'primary' ? name : `${name} (mention)`)).join('\n');
    case 'cities':
      return text.cities.join('\n');
    case 'delta':
      return text.delta ?? '';
    case 'people':
      return text.people
        .map((one) => written(one.direction, one.person, one.role, one.company, one.from, one.to, one.effective))
        .join('\n');
    case 'openings':
      return text.openings
        .map((one) => written(one.status, one.brand, one.city, one.mall, one.locality, one.stores, one.date))
        .join('\n');
    case 'deal': {
      const { deal } = text;
      return deal ? written(deal.type, deal.amount, deal.target, deal.buyers.join(', '), deal.status) : '';
    }
    case 'result':
      return [text.result, ...(text.other_results ?? [])]
        .filter((one) => one !== null)
        .map((one) => written(one.company, one.period, one.metric, one.value, one.growth_pct))
        .join('\n');
  }
}

/** What is wrong with a line, and what is right. */
const wrong = (field: Correctable, line: string, why: string): Refusal =>
  new Refusal('invalid_request', `${field}: ${quoted(line)} ${why}. Allowed: ${FIELD_FORMS[field]}.`);

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Reads lines of parts. @param read makes a fact of the parts, null for an empty part */
const facts = <Fact>(
  field: Correctable,
  text: string,
  most: number,
  read: (part: (index: number) => string | null, line: string) => Fact,
): Fact[] =>
  linesOf(text).map((line) => {
    const parts = line.split('|').map((part) => part.trim());
    if (parts.length > most) throw wrong(field, line, `has ${parts.length} parts, at most ${most} are known`);
    return read((index) => parts[index] || null, line);
  });

function oneOf<Value extends string>(
  field: Correctable,
  known: readonly Value[],
  said: string | null,
  line: string,
  fault = 'begins with none of',
): Value {
  const found = known.find((value) => value === said?.toLowerCase());
  if (!found) throw wrong(field, line, `${fault} ${known.join(', ')}`);
  return found;
}

function needed(field: Correctable, said: string | null, what: string, line: string): string {
  if (!said) throw wrong(field, line, `names no ${what}`);
  return said;
}

function numberIn(field: Correctable, said: string | null, line: string, whole: boolean): number | null {
  if (said === null) return null;
  const number = Number(said.replace(/\s?%$/, ''));
  if (!Number.isFinite(number) || (whole && !(Number.isInteger(number) && number >= 0)))
    throw wrong(field, line, `has ${quoted(said)} where a ${whole ? 'whole ' : ''}number belongs`);
  return number;
}

function dayIn(field: Correctable, said: string | null, line: string): string | null {
  if (said !== null && !IstDay.safeParse(said).success) throw wrong(field, line, `has ${quoted(said)} as its day`);
  return said;
}

function brandsIn(text: string, before: Understanding, find: FindBrand): BrandMention[] {
  const lines = [...new Set(linesOf(text))];
  return lines.map((line) => {
    const name = line.replace(/\s*\(mention\)$/i, '');
    const role = name === line ? 'primary' : 'secondary';
    const known = before.brands.find((brand) => brand.name === name);
    if (known) return { ...known, role };
    const listed = find(name);
    if (listed) return { slug: listed.slug, name: listed.name, role, provisional: false };
    const slug = StoredBrandSlug.safeParse(slugify(name));
    if (!slug.success) throw wrong('brands', line, 'is no name');
    return { slug: slug.data, name, role, provisional: true };
  });
}

function resultsIn(text: string): Pick<Correction, 'result' | 'other_results'> {
  const [result = null, ...other_results] = facts('result', text, 5, (part, line) =>
    Result.parse({
      company: needed('result', part(0), 'company', line),
      period: part(1),
      metric: needed('result', part(2), 'metric', line),
      value: part(3),
      growth_pct: numberIn('result', part(4), line, false),
    }),
  );
  return { result, other_results };
}

/** Reads one field as it is written. @throws Refusal that names the line and what is allowed */
function readField(field: Correctable, text: string, before: Understanding, find: FindBrand): Correction {
  switch (field) {
    case 'move': {
      const move = Move.safeParse(text.trim().toLowerCase());
      if (!move.success) throw wrong(field, text, 'is no kind of move');
      return { move: move.data };
    }
    case 'brands':
      return { brands: brandsIn(text, before, find) };
    case 'cities':
      return { cities: [...new Set(linesOf(text))] };
    case 'delta':
      return { delta: text.trim() || null };
    case 'people':
      return {
        people: facts(field, text, 7, (part, line) => ({
          direction: oneOf(field, people, part(0), line),
          person: needed(field, part(1), 'person', line),
          role: part(2),
          company: part(3),
          from: part(4),
          to: part(5),
          effective: dayIn(field, part(6), line),
        })),
      };
    case 'openings':
      return {
        openings: facts(field, text, 7, (part, line) => ({
          status: oneOf(field, statuses, part(0), line),
          brand: needed(field, part(1), 'brand', line),
          city: part(2),
          mall: part(3),
          locality: part(4),
          stores: numberIn(field, part(5), line, true),
          date: dayIn(field, part(6), line),
        })),
      };
    case 'deal': {
      const all = facts(field, text, 5, (part, line) => ({
        type: oneOf(field, deals, part(0), line),
        amount: part(1),
        target: part(2),
        buyers: (part(3) ?? '')
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean),
        status: part(4) === null ? null : oneOf(field, stages, part(4), line, 'ends with none of'),
      }));
      if (all.length > 1) throw wrong(field, text, 'is more than one deal');
      return { deal: all[0] ?? null };
    }
    case 'result':
      return resultsIn(text);
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
  const { move, people, openings, deal } = correction;
  if (move === undefined && !people && !openings && deal === undefined) return correction;
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
  const found = /^\d{1,3}$/.test(name)
    ? state.reports[Number(name) - 1]
    : state.reports.find(({ url, item_key }) => url === name || item_key === name);
  if (!found)
    throw new CannotReview(
      `${state.id} has no report ${JSON.stringify(name.slice(0, 200))}; it has ${state.reports.length}, named by number or address`,
    );
  return reportToSplit(state, found);
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
      // Not the id of its page, which may be that of the signal that it leaves. Done again after a crash, it is the same.
      const id = signalId(`${itemName(report)}\n${state.id}`);
      const known = foldSignal((await store.read(signalStream(id))).map((event) => readEvent(event)));
      if (known) return { id, slug: known.slug, events: [], revision: known.revision };
      const text = await textOf(report);
      const cause = { id: null, time: review.time, correlation_id: review.id };
      const slug = await reserveSlug(store, text.understanding.headline, id, cause);
      return { id, slug, events: [decideSignalOfReport(text, { id, slug }, review)], revision: 'none' };
    }

    async function otherSignal(name: string): Promise<Target> {
      const other = await readSignal(store, name);
      const { id, slug, revision } = other;
      return { id, slug, revision, events: decideReportFrom(state, report, other, review) };
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
export interface Label {
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
  readonly people: Understanding['people'];
  readonly openings: Understanding['openings'];
  readonly deal: Understanding['deal'];
  readonly result: Understanding['result'];
}

const NOTHING = {
  relevant: false,
  roundup: false,
  move: null,
  primary: [],
  secondary: [],
  cities: [],
  delta: null,
  people: [],
  openings: [],
  deal: null,
  result: null,
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
  const { move, brands, cities, delta, people, openings, deal, result } = understanding;
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
    people,
    openings,
    deal,
    result,
  };
}

/** The label of a signal by its stream. @throws NoSuchSignal */
export async function readLabel(store: EventStore, idOrSlug: string): Promise<Label | null> {
  const id = await signalIdOf(store, idOrSlug);
  const events = (await store.read(signalStream(id))).map((event) => readEvent(event));
  if (events.length === 0) throw new NoSuchSignal(idOrSlug);
  return labelOf(events);
}
