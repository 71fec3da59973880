/** What a text states: one statement for each verb, with who, what, how much, where and when, and how far it is asserted. */
import { isCommon } from '../../ingest/understand/model/words.ts';
import { AUXILIARY, DIRECTION, distributed, LINKS, MODAL, readSentence } from './clauses.ts';
import { normalise, sentencesOf, type Token, tokensOf } from './tokens.ts';
import { CHANGES, implied, type Statement, uniform, withRound, withSeat } from './uniform.ts';
import { DESCRIBES, PREPOSITIONS, type Unit, unitsOf } from './units.ts';
import { canonical, EMPTY, EVENT_NOUNS, METRICS, MODALS, ROLES, VERBS } from './words.ts';

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
export function readStatements(text: string, source: boolean): Reading {
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
