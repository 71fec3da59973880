/**
 * Whether a sentence follows from a text. Deterministic: both are read into statements, one for each verb, with who,
 * what, how much, where and when, and how far it is asserted; and every statement of the sentence must be one of the
 * text, with the same verb class, direction, negation and modality, and with nothing in any of its roles that the text
 * does not have in the same role. What is left out does not matter; what is unsure fails.
 */
import { isCommon } from '../../language/words.ts';
import { AUXILIARY, DIRECTION, distributed, LINKS, MODAL, readSentence } from './clauses.ts';
import { normalise, sentencesOf, type Token, tokensOf } from './tokens.ts';
import { CHANGES, implied, type Statement, uniform, withRound, withSeat } from './uniform.ts';
import { DESCRIBES, isFigure, PREPOSITIONS, type Slot, type Unit, unitsOf } from './units.ts';
import { ADVICE, canonical, EMPTY, EVENT_NOUNS, FOREIGN, METRICS, MODALS, ROLES, VERBS } from './words.ts';

export interface Reading {
  readonly statements: readonly Statement[];
  /** Words that belong to no statement. */
  readonly loose: readonly Unit[];
}

const PERIOD = /^(?:q|fy|h):/;

/**
 * Reads what a text states.
 * @param source true for a text of the record: pronouns are resolved, and statements that follow are added. A sentence of
 *   an answer is read without further context
 */
function readStatements(text: string, source: boolean): Reading {
  const statements: Statement[] = [];
  const loose: Unit[] = [];
  let subject: readonly Token[] = [];
  let context: readonly Unit[] = [];
  let periods: readonly Unit[] = [];
  for (const [number, { text: sentence }] of sentencesOf(text).entries()) {
    const spoken = attribution(inSentenceCase(tokensOf(normalise(sentence))));
    const read = readSentence(spoken.tokens, number, source ? subject : []);
    loose.push(...unitsOf(read.pending));
    // `Q2 sales up 8%; profit doubles`: a figure after a semicolon is of the same period.
    const carried = /^\p{Ll}/u.test(sentence) ? periods : [];
    periods = [];
    for (const one of read.open.flatMap(distributed)) {
      for (const each of uniform(one, number, context)) {
        const all = [...each.subject, ...each.object, ...each.slots.flatMap(({ units }) => units)];
        const own = all.filter(({ key }) => PERIOD.test(key));
        const bound = all.flatMap(({ when }) => when);
        const names = each.subject.filter(({ name }) => name);
        if (names.length > 0) context = names;
        if (own.length > 0) periods = own.filter(({ key }) => !bound.includes(key));
        const isFigured = each.classes.some((name) => CHANGES.has(name) || name === 'level');
        const season = periods.length > 0 ? periods : isFigured ? carried : [];
        const slots =
          own.length === 0 && season.length > 0 && source ? [...each.slots, { prep: 'in', units: season }] : each.slots;
        const said = spoken.speaker.length > 0;
        const statement: Statement = {
          ...each,
          slots,
          speaker: said ? spoken.speaker : each.speaker,
          modality: said ? new Set([...each.modality, 'said']) : each.modality,
        };
        const completed = source ? withRound(withSeat(statement, statements), statements) : statement;
        statements.push(completed);
        if (source) statements.push(...implied(completed));
      }
    }
    // Pronouns of the next sentence stand for what this text is about: its first subject.
    if (number === 0 && read.open[0] && statements[0] && isOnlyOne(statements[0])) subject = read.open[0].subject;
  }
  return { statements, loose };
}

/** Whether a pronoun after a statement can only stand for its subject: it names nobody else. A place does not count. */
const isOnlyOne = ({ classes, object, slots }: Statement): boolean =>
  classes.some((name) => name === 'join' || name === 'leave') ||
  (!object.some(({ name }) => name) &&
    !slots.some(
      ({ prep, units }) =>
        units.some(({ name }) => name) && !(prep === 'in' && !classes.some((one) => ELSEWHERE.has(one))),
    ));
/** Verbs with a company after `in`. */
const ELSEWHERE = new Set(['lead', 'invest', 'buy', 'sell', 'fund']);

/** Words that are no part of a name in a headline whose words all begin with a capital letter. */
const isPlain = (low: string): boolean =>
  (VERBS.has(low) && !NAMELIKE.has(low)) ||
  MODALS.has(low) ||
  [PREPOSITIONS, LINKS, AUXILIARY, EMPTY, ROLES].some((words) => words.has(low)) ||
  METRICS.has(canonical(low)) ||
  DESCRIBES.has(canonical(low)) ||
  low === 'net' ||
  low in MODAL ||
  low in EVENT_NOUNS ||
  low in DIRECTION;
const NAMELIKE = new Set('retail partner partners gain order fine lead miss rally advance lift ship rent'.split(' '));

/** `Kiri Foods Opens 40 Stores In Pune`: the words that are no names, in lower case. */
function inSentenceCase(tokens: readonly Token[]): Token[] {
  const words = tokens.filter(({ kind, low }) => kind === 'word' && low.length > 3);
  const titled = words.length > 0 && words.filter(({ capital }) => capital).length / words.length > 0.8;
  if (!titled || !words.some(({ low, capital }) => capital && isPlain(low)))
    return tokens.map((token, index) =>
      index === 0 && token.capital && isCommon(token.low) && tokens[1]?.capital !== true
        ? { ...token, capital: false }
        : token,
    );
  return tokens.map((token, index) => {
    const partners = /^partners?$/.test(token.low) && tokens[index + 1]?.low === 'with';
    return token.kind === 'word' && (isPlain(token.low) || partners) ? { ...token, capital: false } : token;
  });
}

/** Takes `X said` and `according to X` off a sentence, whichever end they are at. */
function attribution(tokens: readonly Token[]): {
  readonly tokens: readonly Token[];
  readonly speaker: readonly Unit[];
} {
  const says = (token: Token | undefined): boolean =>
    token?.kind === 'word' && MODALS.get(token.low)?.modality === 'said' && token.low !== 'call';
  const marks = tokens.flatMap(({ kind }, index) => (kind === 'mark' ? [index] : []));
  const last = marks.at(-1) ?? -1;
  const tail = tokens.slice(last + 1);
  if (tokens[0]?.low === 'according-to' && marks.length > 0)
    return { tokens: tokens.slice((marks[0] ?? 0) + 1), speaker: unitsOf(tokens.slice(1, marks[0])) };
  const according = tokens.findIndex(({ low }) => low === 'according-to');
  if (according > 0) {
    const end = tokens[according - 1]?.kind === 'mark' ? according - 1 : according;
    return { tokens: tokens.slice(0, end), speaker: unitsOf(tokens.slice(according + 1)) };
  }
  if (last > 0 && says(tail[0])) return { tokens: tokens.slice(0, last), speaker: unitsOf(tail.slice(1)) };
  if (last > 0 && tail.length > 1 && tail.length < 9 && says(tail.at(-1)))
    return { tokens: tokens.slice(0, last), speaker: unitsOf(tail.slice(0, -1)) };
  return { tokens, speaker: [] };
}

/** Why a sentence does not follow: what a log and a test show. */
export type Refusal =
  | 'form'
  | 'advice'
  | 'pronoun'
  | 'no statement'
  | 'loose words'
  | 'verb'
  | 'negation'
  | 'modality'
  | 'speaker'
  | 'subject'
  | 'object'
  | 'circumstance'
  | 'time'
  | 'link';

const MAX_LENGTH = 600;
/** A sentence of an answer is read without those before it, which may be dropped. */
const DEPENDENT =
  /^(?:it|he|she|they|this|these|those|that|such|both|the (?:company|firm|retailer|brand|startup|maker|deal|group)|(?:his|her|its|their))\b/i;

const CHANGE_OR_LEVEL = new Set(['rise', 'fall', 'level']);
const isChange = ({ classes }: Statement): boolean => classes.some((name) => CHANGE_OR_LEVEL.has(name));
/** Prepositions that say where or of what, and stand for each other. */
const PLACE = new Set(['in', 'at', 'across', 'within', 'of', 'for']);
const SAME: Readonly<Record<string, string>> = { through: 'via', into: 'in' };
const samePrep = (one: string, other: string): boolean =>
  (SAME[one] ?? one) === (SAME[other] ?? other) || (PLACE.has(one) && PLACE.has(other));
/** Prepositions before what a deal is, and before what a penalty or a filing is for. */
const MEANS = new Set(['in', 'via', 'through', 'for']);
const REASONS = new Set(['for', 'over']);

const last = <One>(all: readonly One[]): One | undefined => all.at(-1);

/** A unit of the sentence is the same as one of the text: its word, what limits it, and what a figure is of. */
function same(said: Unit, given: Unit): boolean {
  if (said.key !== given.key) return false;
  if (!given.limits.every((word) => said.limits.includes(word) || word === said.key)) return false;
  if (said.kind !== 'figure') return true;
  const counted = last(said.of);
  if (counted !== undefined && given.of.length > 0 && !given.of.includes(counted)) return false;
  if (counted !== undefined && given.of.length === 0 && said.key.includes('n:')) return false;
  return said.when.length === 0 || given.when.length === 0 || said.when.every((when) => given.when.includes(when));
}

const timeless = (units: readonly Unit[]): Unit[] => units.filter(({ kind }) => kind !== 'time');

/** Two names in a row are in a row in the text: `Maya Foods` is not there where `Maya Retail` and `Kiri Foods` are. */
const inRow = (said: readonly Unit[], given: readonly Unit[]): boolean =>
  said.every((unit, index) => {
    const next = said[index + 1];
    if (!unit.name || !next?.name || unit.head || unit.owner !== next.owner) return true;
    return given.some((one, at) => one.key === unit.key && given[at + 1]?.key === next.key);
  });

/**
 * Every unit of a role is in that role of the text, its heads as heads.
 * @param further units in which words that only describe may be as well
 */
function covers(given: readonly Unit[], further: readonly Unit[], said: readonly Unit[]): boolean {
  const words = timeless(said);
  const role = words.findLast(({ head }) => head);
  return (
    words.every((unit) => {
      // `Marketing head Sunita Rao`: the role describes the person.
      if (unit.head && (unit === role || !ROLES.has(unit.key)))
        return given.some(
          (one, at) => (one.head || isMeasure(unit, one, words) || describes(one, given[at + 1])) && same(unit, one),
        );
      // Of a purchase, who buys and what is bought: `Maya Retail's purchase of`.
      const sides = given.some(({ key }) => EVENT_NOUNS[key] === 'buy' || EVENT_NOUNS[key] === 'invest');
      if (given.some((one) => same(unit, one) && !(sides && unit.name && one.after !== unit.after))) return true;
      return further.some((one) => same(unit, one));
    }) &&
    asOften(words, [...given, ...further]) &&
    inRow(words, [...given, ...further])
  );
}

/** `the gold line Halki` is a line as well as Halki. */
const describes = (one: Unit, next: Unit | undefined): boolean =>
  one.kind === 'word' && !one.name && !one.owner && !ROLES.has(one.key) && next?.name === true && !next.owner;

/** `₹120 crore of bonds`, where the text has `bonds of ₹120 crore`. */
const isMeasure = (said: Unit, given: Unit, words: readonly Unit[]): boolean =>
  said.kind === 'figure' && given.after && words.some(({ after, kind }) => after && kind === 'word');

/** No word more often than in the text: one company is not both sides of a deal. */
const asOften = (said: readonly Unit[], given: readonly Unit[]): boolean =>
  said.every(({ key, name }) => {
    const times = (units: readonly Unit[]): number => units.filter((unit) => unit.key === key).length;
    return !name || times(said) <= times(given);
  });

/** The units of all roles. */
const allOf = ({ subject, object, slots }: Statement): Unit[] => [
  ...subject,
  ...object,
  ...slots.flatMap(({ units }) => units),
];

interface Time {
  readonly key: string;
  readonly kind: string;
}

const DATED = new Set(['by', 'before', 'after', 'since', 'until', 'till', 'from', 'to', 'against', 'than']);

/** The times of a statement, each with the preposition that changes its sense. */
function timesOf({ subject, object, slots }: Statement): Time[] {
  const of = (units: readonly Unit[], prep: string): Time[] =>
    units
      .filter(({ kind }) => kind === 'time')
      .map(({ key }) => ({ key: `${DATED.has(prep) ? prep : ''} ${key}`, kind: key.split(':')[0] ?? '' }));
  return [
    ...of(subject, ''),
    ...of(object, ''),
    ...slots.flatMap(({ prep, units }) =>
      // `to ₹310 crore FY26`: a time next to a figure is no date of its own.
      of(units, units.some(({ kind }) => kind === 'figure') && prep !== 'against' ? '' : prep),
    ),
  ];
}

/** Figures of the text with a time next to them are of that time, where the statement has several. */
function datedFigures(said: Statement, given: Statement): boolean {
  const figures = (one: Statement): Unit[] => allOf(one).filter(({ kind }) => kind === 'figure');
  const own = timesOf(given);
  const several = (kind: string): boolean =>
    new Set(own.filter((time) => time.kind === kind).map(({ key }) => key)).size > 1;
  const bare = timesOf(said).filter(({ kind }) => several(kind));
  return figures(said).every((figure) => {
    if (figure.when.length > 0) return true;
    const found = figures(given).filter((one) => same(figure, one) && one.when.length > 0);
    return found.length === 0 || bare.every(({ key }) => found.some(({ when }) => when.includes(key.trim())));
  });
}

const UNNAMED = new Set(['people', 'person', 'source', 'report', 'official']);
function covered(slot: Slot, said: Statement, given: Statement): boolean {
  // `at the Pune office of Kiri Foods`, where Kiri Foods acts: a passive without who did it may say whose the place is.
  const isActor = (unit: Unit): boolean =>
    unit.owner && unit.name && said.subject.length === 0 && given.subject.some((one) => one.name && same(unit, one));
  const all = timeless(slot.units);
  const words = all.every(isActor) ? all : all.filter((unit) => !isActor(unit));
  if (words.length === 0) return true;
  // `₹40 crore in revenue` is held against the object as a whole.
  if (slot.prep === 'in' && words.every((unit) => said.object.includes(unit))) return true;
  const inSlot = (units: readonly Unit[]): boolean =>
    words.every((unit) =>
      units.some((one) => same(unit, one) && (!unit.head || one.head || one.name || (isFigure(unit) && one.after))),
    ) && inRow(words, units);
  if (given.slots.some((one) => samePrep(slot.prep, one.prep) && inSlot(one.units))) return true;
  const within = (units: readonly Unit[], some: readonly Unit[]): boolean =>
    some.length > 0 && some.every((unit) => units.some((one) => same(unit, one)));
  const classed = (...names: readonly string[]): boolean => names.some((name) => given.classes.includes(name));
  // `in a block deal`, `via a block deal`; `in a cash deal worth ₹40 crore` where it is for ₹40 crore.
  if (MEANS.has(slot.prep) && words.some(({ key }) => key === 'deal' || key === 'cash')) {
    const [figures, others] = [
      words.filter(({ kind }) => kind === 'figure'),
      words.filter(({ kind }) => kind !== 'figure'),
    ];
    const paid = given.slots.filter(
      ({ prep, units }) => prep === 'for' && units.every(({ kind }) => kind === 'figure'),
    );
    if (
      given.slots.some((one) => MEANS.has(one.prep) && within(one.units, others)) &&
      (figures.length === 0 || paid.some(({ units }) => within(units, figures)))
    )
      return true;
  }
  if (classed('fine', 'sue', 'probe') && REASONS.has(slot.prep))
    return given.slots.some((one) => REASONS.has(one.prep) && inSlot(one.units));
  if (classed('file') && (slot.prep === 'to' || slot.prep === 'with'))
    return given.slots.some(({ prep, units }) => (prep === 'to' || prep === 'with') && inSlot(units));
  // `resigned as CEO of Noor Watches`: who leaves is `Noor Watches CEO Vikram Sethi`.
  if (classed('leave') && ['as', 'at', 'of', 'from'].includes(slot.prep) && said.subject.length > 0)
    return within(
      given.subject.filter((one) => !said.subject.some((own) => own.key === one.key)),
      words,
    );
  // `opened a store in Pune`: `opens its third Pune store`.
  if (classed('open', 'close') && slot.prep === 'in' && words.every(({ name }) => name))
    return words.every((unit) => given.object.some((one) => one.name && !one.head && !one.owner && same(unit, one)));
  // `the purchase of Noor Watches by Maya Retail`
  if (slot.prep === 'by' && said.object.length > 0)
    return words.every((unit) => given.object.some((one) => one.name && !one.owner && !one.head && same(unit, one)));
  if (!PLACE.has(slot.prep) && slot.prep !== 'level') return false;
  // `profit at Maya Retail`, `a stake in Orna Sarees`, `an IPO of ₹800 crore`: what it is of.
  if (said.subject.some(({ key }) => METRICS.has(key)) && inSlot(given.subject)) return true;
  if (given.classes.includes('buy') || given.classes.includes('sell')) return inSlot(given.object);
  return slot.prep === 'of' && inSlot(given.object);
}

const personal = ({ classes }: Statement): boolean =>
  classes.some((name) => ['leave', 'join', 'appoint', 'replace'].includes(name));

/** What is wrong with a statement, held against one of the text; null where it follows from it. */
function refusalOf(said: Statement, given: Statement): Refusal | null {
  if (!said.classes.some((name) => given.classes.includes(name))) return 'verb';
  if (said.negated !== given.negated) return 'negation';
  // What may be by the word of people who are not named: without them it still only may be.
  const isRumour = said.modality.has('may') && given.speaker.some(({ key }) => UNNAMED.has(key));
  const asserted = [...given.modality].filter((one) => one !== 'said' || said.modality.has('said') || !isRumour);
  if (said.modality.size !== asserted.length || !asserted.every((one) => said.modality.has(one))) return 'modality';
  if (said.modality.has('said') && timeless(said.speaker).length === 0) return 'speaker';
  if (!covers(given.speaker, [], said.speaker)) return 'speaker';
  if (said.link !== given.link && (said.link !== '' || ['if', 'unless', 'purpose', 'whether'].includes(given.link)))
    return 'link';
  const places = given.slots.flatMap(({ prep, units }) => (PLACE.has(prep) || prep === 'as' ? units : []));
  const roles = personal(given) ? given.slots.flatMap(({ units }) => units) : [];
  const describes = isChange(given) || personal(given) ? places : [];
  if (said.subject.length > 0 && !covers(given.subject, [...describes, ...roles], said.subject)) return 'subject';
  // `Vikram Sethi, Pallu Capital partner, joins Lotus Optics board`: no board of Pallu Capital.
  const described = personal(given) ? places : [...given.subject, ...places];

  if (!covers(given.object, described, said.object)) return 'object';
  if (!said.slots.every((slot) => covered(slot, said, given))) return 'circumstance';
  // One company is not both sides: `Noor Watches' stake in Noor Watches`.
  if (!asOften(allOf(said), allOf(given))) return 'subject';
  const known = new Set(timesOf(given).map(({ key }) => key));
  if (!timesOf(said).every(({ key }) => known.has(key)) || !datedFigures(said, given)) return 'time';
  return null;
}

/** How near to a match a refusal is, for the report of the nearest one. */
const ORDER: readonly Refusal[] = [
  ...(['verb', 'negation', 'modality', 'speaker', 'link', 'subject', 'object', 'circumstance', 'time'] as const),
];

/** A stored text, and the parts of it that are quoted as evidence. */
export interface Passage {
  readonly text: string;
  /** Where each quoted part begins and ends. A sentence counts as a whole: a quote cannot leave out its `denies`. */
  readonly quoted: readonly { readonly start: number; readonly end: number }[];
}

const plain = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[.\s]+$/, '')
    .trim();

/** What a passage states in the sentences that are quoted, and those sentences that are whole lines. */
function readPassage({ text, quoted }: Passage): {
  readonly statements: readonly Statement[];
  readonly lines: readonly string[];
} {
  const isQuoted = ({ start, end }: { readonly start: number; readonly end: number }): boolean =>
    quoted.some((quote) => quote.start < end && quote.end > start);
  const kept = new Set(sentencesOf(text).flatMap((sentence, index) => (isQuoted(sentence) ? [index] : [])));
  let start = 0;
  const lines = text.split('\n').flatMap((line) => {
    const place = { start, end: start + line.length };
    start = place.end + 1;
    return isQuoted(place) ? [plain(line)] : [];
  });
  return { statements: readStatements(text, true).statements.filter(({ sentence }) => kept.has(sentence)), lines };
}

/**
 * Holds a sentence against quoted passages of the record.
 * @param sentence as a model worded it
 * @param passages the stored texts that it cites, each by itself
 * @returns null where every statement of the sentence follows from one of the passages; else the first thing that is wrong
 */
export function refusal(sentence: string, passages: readonly Passage[]): Refusal | null {
  if (sentence.trim() === '' || sentence.length > MAX_LENGTH || FOREIGN.test(sentence) || /[?!]/.test(sentence))
    return 'form';
  if (ADVICE.test(sentence)) return 'advice';
  if (DEPENDENT.test(sentence.trim())) return 'pronoun';
  const sources = passages.map(readPassage);
  if (sources.some(({ lines }) => lines.includes(plain(sentence)))) return null;
  const { statements, loose } = readStatements(sentence, false);
  if (statements.length === 0 || statements.some(({ subject, object }) => subject.length + object.length === 0))
    return 'no statement';
  if (loose.length > 0) return 'loose words';
  for (const said of statements) {
    const found = sources.flatMap((source) => source.statements.map((given) => refusalOf(said, given)));
    if (!found.includes(null)) return ORDER.findLast((one) => found.includes(one)) ?? 'verb';
  }
  return null;
}
