/** Whom a headline is about: the names before its verb, and what the verb acts on. */
import { isCommon } from './model/common.ts';
import { nameIn } from './names.ts';
import type { Part } from './reading.ts';
import { gapAfter } from './tokens.ts';
import { BUY, DESCRIPTORS, INVEST, MOVE_VERBS, NAME_ENDS, SELL, STRONG } from './verbs.ts';

/** Words from one to another, both included. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

export interface Subject {
  /** Names before the verb, in order. */
  readonly names: readonly Span[];
  /** The name that the verb acts on, where it buys, sells, backs or joins with somebody. */
  readonly objects: readonly Span[];
  /** What the verb does to its object. */
  readonly act: 'buy' | 'sell' | 'invest' | 'partner' | 'role' | null;
  /** Index of the verb, or of the noun that ends the name; the number of words when there is none. */
  readonly verb: number;
}

const OPENERS = new Set(
  'how why can will inside decoding is are when what who from beyond does did here exclusive'.split(' '),
);
const LEADING_CLAUSES = new Set('after as with amid despite ahead before post following'.split(' '));
/** Words that open a place or a time in front of the subject, when a comma closes it soon: `In Ahmedabad, GIVA …`. */
const LEADING_PLACES = new Set('in at from on for by to'.split(' '));
const MOST_PLACE_WORDS = 5;
const CONNECTORS = new Set('of and by the x n de for'.split(' '));
const OWNERS = new Set(['backed', 'owned', 'led', 'bound', 'based', 'run', 'founded', 'promoted']);

/** Whether the word here is the s of a possessive: "Tata's" is read as two words. */
export const possessive = (part: Part, index: number): boolean =>
  part.tokens[index]?.fold === 's' && /^['’‘]$/.test(gapAfter(part, index - 1));

const inMention = (part: Part, index: number): boolean =>
  part.mentions.some(
    (mention) => mention.first <= index && index <= mention.last && (mention.brand || mention.mall || mention.investor),
  );

/** Whether a headline is written as a sentence, with capitals for names alone. */
export function sentenceCase(part: Part): boolean {
  const long = part.tokens.slice(1).filter((token) => token.text.length > 3 && /^\p{L}/u.test(token.text));
  return long.length > 0 && long.filter((token) => !token.capital).length / long.length > 0.4;
}

/** Where clauses begin: the start, after a leading `After …,`, and after each colon. */
function beginnings(part: Part): number[] {
  const starts: number[] = [0];
  const opener = part.tokens[0]?.fold ?? '';
  if (LEADING_CLAUSES.has(opener)) {
    const comma = part.tokens.findIndex((_, index) => gapAfter(part, index).startsWith(','));
    starts[0] = comma >= 0 ? comma + 1 : 1;
  } else if (OPENERS.has(opener)) starts[0] = 1;
  else if (LEADING_PLACES.has(opener)) {
    const comma = part.tokens.slice(0, MOST_PLACE_WORDS).findIndex((_, index) => gapAfter(part, index).startsWith(','));
    if (comma > 0) starts[0] = comma + 1;
  }
  part.tokens.forEach((_, index) => {
    if (/^\s*(?:[:|]\s|\s[–—-]\s)/.test(gapAfter(part, index)) && index + 1 < part.tokens.length)
      starts.push(index + 1);
  });
  return starts.slice(0, 4);
}

function isEnd(part: Part, index: number): boolean {
  const token = part.tokens[index];
  if (!token) return true;
  if (inMention(part, index) && part.mentions.some((mention) => mention.first < index && index <= mention.last))
    return false;
  if (OWNERS.has(token.fold) && (gapAfter(part, index - 1) === '-' || token.fold === 'backed')) return false;
  if (possessive(part, index)) return true;
  if (token.fold === 's') return false;
  if (MOVE_VERBS.has(token.fold) || NAME_ENDS.has(token.fold))
    return !(token.capital && gapAfter(part, index - 1) === '-');
  return /(?:₹|\brs\.?|\$)\s?$/i.test(gapAfter(part, index - 1)) || token.fold === 'rs';
}

/** In a headline written as a sentence a small word ends the name, once there is one. */
function smallEnd(part: Part, from: number, index: number): boolean {
  const token = part.tokens[index];
  if (!token || token.capital || CONNECTORS.has(token.fold) || DESCRIPTORS.has(token.fold) || inMention(part, index))
    return false;
  if (OWNERS.has(token.fold)) return false;
  if (/^[.@]/.test(gapAfter(part, index - 1)) || /\p{Lu}/u.test(token.text)) return false;
  const owner = part.tokens.slice(from, index).findLast((word) => OWNERS.has(word.fold));
  const run = part.tokens.slice((owner?.index ?? from - 1) + 1, index);
  return run.some((word) => word.capital && !isCommon(word.fold)) || run.some((word) => inMention(part, word.index));
}

/** Splits `Amazon, Flipkart and Zepto`; an `and` inside a catalogue name does not part it. */
function list(part: Part, first: number, last: number): Span[] {
  const spans: Span[] = [];
  let from = first;
  for (let index = first; index <= last; index++) {
    const within = part.mentions.some((mention) => mention.first < index && index < mention.last);
    if (part.tokens[index]?.fold === 'and' && index > from && index < last && !within) {
      spans.push({ first: from, last: index - 1 });
      from = index + 1;
    } else if (index < last && /^,\s/.test(gapAfter(part, index))) {
      spans.push({ first: from, last: index });
      from = index + 1;
    }
  }
  spans.push({ first: from, last });
  return spans.flatMap((span) => nameIn(part, span.first, span.last) ?? []);
}

const OBJECT_STOPS = new Set(
  'in for from at to via with on by as amid after shares share stake stakes worth business deal unit through ops operations rights ipo s upcoming parent before ahead and india over into acquisition minority majority'.split(
    ' ',
  ),
);
const BEFORE_OBJECT = new Set(
  'majority minority controlling significant strategic stake stakes shares share in pc rs a an control of cr mn bn lakh additional more entire full for from to and remaining usd crore million up the its with by half india operations worth rights over further fresh all some'.split(
    ' ',
  ),
);

/** The first name after a verb, skipping stakes and sums. */
function objectAfter(part: Part, from: number): Span | null {
  let first = -1;
  const end = Math.min(part.tokens.length, from + 14);
  for (let index = from; index < end; index++) {
    const token = part.tokens[index];
    if (!token) break;
    const joined = /^[.&]/.test(gapAfter(part, index - 1));
    if (first < 0) {
      if (token.capital && !BEFORE_OBJECT.has(token.fold) && !/^\d/.test(token.text)) first = index;
    } else if (
      !inMention(part, index) &&
      !joined &&
      (OBJECT_STOPS.has(token.fold) ||
        (!token.capital && !DESCRIPTORS.has(token.fold)) ||
        /[,:;(]/.test(gapAfter(part, index - 1)))
    )
      return nameIn(part, first, index - 1);
  }
  return first >= 0 ? nameIn(part, first, end - 1) : null;
}

const ROLES = new Set(
  'ceo cfo coo cmo cto cbo chro md director president chairman chairperson head officer chief'.split(' '),
);
const PARTNER =
  /\b(?:partners?|partnered|ties? up|tied up|teams? up|collaborates?|joins? (?:hands|forces)|taps|jv|integrates?|implements?|partnership)\b(?: (?:with|hands with|up with))?/i;

function actAt(part: Part, verb: number): { act: Subject['act']; at: number } {
  for (let index = verb; index < Math.min(part.tokens.length, verb + 6); index++) {
    const word = part.tokens[index]?.fold ?? '';
    if (gapAfter(part, index) === '-' || gapAfter(part, index - 1) === '-') continue;
    if (BUY.has(word)) return { act: 'buy', at: index };
    if (SELL.has(word)) return { act: 'sell', at: index };
    if (INVEST.has(word)) return { act: 'invest', at: index };
    if (/^[,:;]/.test(gapAfter(part, index))) break;
  }
  const stake = part.tokens.findIndex(
    (token, index) =>
      index >= verb && (token.fold === 'stake' || token.fold === 'round') && part.tokens[index + 1]?.fold === 'in',
  );
  if (stake >= 0 && stake < verb + 12)
    return {
      act: part.tokens.slice(verb, stake).some((token) => BUY.has(token.fold)) ? 'buy' : 'invest',
      at: stake + 1,
    };
  const role = part.tokens.findIndex(
    (token, index) => index > verb && ROLES.has(token.fold) && /^(?:of|at)$/.test(part.tokens[index + 1]?.fold ?? ''),
  );
  if (role >= 0) return { act: 'role', at: role + 1 };
  const word = part.tokens[verb];
  const next = part.text.slice(word?.start ?? part.text.length);
  const partner = PARTNER.exec(next.slice(0, 60));
  if (partner && partner.index < 12) {
    const at = part.tokens.findLastIndex(
      (token) => token.start < (word?.start ?? 0) + partner.index + partner[0].length,
    );
    return { act: 'partner', at };
  }
  return { act: null, at: verb };
}

/** `Grocery App Bazaario To Raise`, `Meat delivery firm Coastline`: words before a descriptor that are no name yet. */
function describes(part: Part, from: number, index: number): boolean {
  const run = part.tokens.slice(from, index);
  if (run.some((word) => !isCommon(word.fold) || inMention(part, word.index)) || possessive(part, index)) return false;
  return part.tokens
    .slice(index, index + 4)
    .some(
      (word) =>
        STRONG.has(word.fold) &&
        (part.tokens[word.index + 1]?.capital ?? false) &&
        !isCommon(part.tokens[word.index + 1]?.fold ?? ''),
    );
}

function readClause(part: Part, start: number, sentence: boolean): Subject {
  const count = part.tokens.length;
  let from = start;
  let verb = count;
  for (let index = from; index < count; index++) {
    const first = index === from;
    if (!first && describes(part, from, index)) continue;
    if (!first && (isEnd(part, index) || (sentence && smallEnd(part, from, index)))) {
      verb = index;
      if (possessive(part, index) && part.tokens[index + 1]?.capital && ownsName(part, index + 1)) {
        from = index + 1;
        verb = count;
        continue;
      }
      break;
    }
    if (/^\s*[:–—|;]\s/.test(gapAfter(part, index))) {
      verb = index + 1;
      break;
    }
  }
  const soft =
    sentence && verb < count && verb === from + 1 && from === start && !isEnd(part, verb) && !inMention(part, from);
  const names = verb > from && !soft ? list(part, from, verb - 1) : [];
  const { act, at } = verb < count ? actAt(part, verb) : { act: null, at: verb };
  const object = act ? objectAfter(part, at + 1) : null;
  return { names, objects: object ? [object] : [], act: object ? act : null, verb };
}

/** `Kusha Kapila's Underneat Crosses`: a name after the possessive that a verb follows soon is the subject. */
function ownsName(part: Part, from: number): boolean {
  let end = from;
  while (end < part.tokens.length && !isEnd(part, end)) end++;
  const run = part.tokens.slice(from, end);
  return (
    end > from &&
    end - from <= 4 &&
    end < part.tokens.length &&
    run.every((token) => token.capital) &&
    run.some((token) => !isCommon(token.fold))
  );
}

/** Reads the clauses of a headline, first clause first. Pure; indexes are words of `title`. */
export function readSubjects(title: Part): Subject[] {
  const sentence = sentenceCase(title);
  return beginnings(title).map((start) => readClause(title, start, sentence));
}
