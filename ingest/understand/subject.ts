/** Whom a headline is about: the words before its verb, and what the verb acts on. */
import { nameIn } from './names.ts';
import { gapAfter, type Text } from './tokens.ts';
import { BUY, INVEST, MOVE_VERBS, NAME_ENDS, SELL } from './verbs.ts';

export interface Span {
  readonly first: number;
  readonly last: number;
}

export interface Subject {
  /** Names before the verb, in order. */
  readonly names: readonly Span[];
  /** Names that the verb acts on, where it buys, sells or backs. */
  readonly objects: readonly Span[];
  /** Index of the verb, or of the noun that ends the name; the number of words when there is none. */
  readonly verb: number;
}

const OPENERS = new Set([
  'how',
  'why',
  'can',
  'will',
  'inside',
  'decoding',
  'is',
  'are',
  'after',
  'when',
  'what',
  'who',
  'with',
  'as',
  'amid',
  'from',
  'beyond',
  'despite',
]);

/** Where the sentence itself begins: after `After PhonePe,` and `Quick Commerce Race Heats Up:`. */
function beginning(text: Text): number {
  const opener = text.tokens[0]?.fold ?? '';
  if (!['after', 'as', 'with', 'amid', 'despite', 'ahead', 'before', 'post', 'following'].includes(opener))
    return OPENERS.has(opener) ? 1 : 0;
  const comma = text.tokens.findIndex((_, index) => gapAfter(text, index).startsWith(','));
  return comma >= 0 && comma + 1 < text.tokens.length ? comma + 1 : 1;
}

const isEnd = (text: Text, index: number): boolean => {
  const token = text.tokens[index];
  if (!token) return true;
  if (MOVE_VERBS.has(token.fold) || NAME_ENDS.has(token.fold)) {
    if (token.fold === 's') return /['’]/.test(gapAfter(text, index - 1));
    // `Max`, `Trends`, `Go Colors`: a capitalised verb that is the first word belongs to the name
    return true;
  }
  return /\d/.test(token.fold) && /^(?:₹|rs|\$)/i.test(gapAfter(text, index - 1).trim());
};

const possessive = (text: Text, index: number): boolean =>
  text.tokens[index]?.fold === 's' && /^['’]$/.test(gapAfter(text, index - 1));

/** Splits `Amazon, Flipkart and Zepto` where commas and, between names, `and` part it. */
function list(text: Text, first: number, last: number): Span[] {
  const parts: Span[] = [];
  let from = first;
  for (let index = first; index <= last; index++) {
    const token = text.tokens[index];
    const and = token?.fold === 'and' && index > from && index < last;
    if (and) {
      parts.push({ first: from, last: index - 1 });
      from = index + 1;
    } else if (index < last && /^,\s/.test(gapAfter(text, index))) {
      parts.push({ first: from, last: index });
      from = index + 1;
    }
  }
  parts.push({ first: from, last });
  return parts.flatMap((part) => nameIn(text, part.first, part.last) ?? []);
}

/** The first run of capitalised words from an index on, as the object of a verb. */
function objectAfter(text: Text, from: number): Span | null {
  const stops = new Set([
    'in',
    'for',
    'from',
    'at',
    'to',
    'via',
    'with',
    'on',
    'by',
    'as',
    'amid',
    'after',
    'shares',
    'stake',
    'worth',
    'business',
    'deal',
    'unit',
    'through',
    'brand',
  ]);
  let first = -1;
  for (let index = from; index < Math.min(text.tokens.length, from + 14); index++) {
    const token = text.tokens[index];
    if (!token) break;
    const small = stops.has(token.fold) && !(first < 0);
    if (
      first < 0 &&
      token.capital &&
      !stops.has(token.fold) &&
      !/\d/.test(token.text[0] ?? '') &&
      !SKIPPED.has(token.fold)
    )
      first = index;
    else if (
      first >= 0 &&
      (small || !token.capital || possessive(text, index) || /[,:;(]/.test(gapAfter(text, index - 1)))
    )
      return nameIn(text, first, index - 1);
  }
  return first >= 0 ? nameIn(text, first, Math.min(text.tokens.length, from + 14) - 1) : null;
}
const SKIPPED = new Set([
  'majority',
  'minority',
  'controlling',
  'significant',
  'strategic',
  'stake',
  'in',
  'pc',
  'rs',
  'a',
  'an',
  'control',
  'of',
  'cr',
  'mn',
  'additional',
  'more',
  'entire',
  'full',
  'stakes',
  'for',
  'from',
  'to',
  'and',
  'remaining',
  'usd',
  'crore',
  'million',
  'up',
]);

/** Reads the subject of a headline. Pure; indexes are words of `title`. */
export function readSubject(title: Text): Subject {
  const count = title.tokens.length;
  const start = beginning(title);
  let from = start;
  // A label before a colon (`Quick commerce race heats up: Flipkart eyes …`) is skipped when it holds a verb itself.
  let verb = count;
  for (let index = from; index < count; index++) {
    const first = index === from;
    if ((!first && isEnd(title, index)) || (!first && possessive(title, index))) {
      verb = index;
      break;
    }
    if (/^\s*[:–—|]/.test(gapAfter(title, index)) && !/^\s*[–—]\S/.test(gapAfter(title, index))) {
      verb = index + 1;
      break;
    }
  }
  // `Swiggy's Instamart`, `Kusha Kapila's Underneat Crosses`: the name after the possessive is the subject when a verb follows soon
  if (verb < count && possessive(title, verb) && title.tokens[verb + 1]?.capital) {
    const next = verb + 1;
    let end = next;
    while (end < count && !isEnd(title, end)) end++;
    if (end > next && end - next <= 4 && end < count) {
      const owned = nameIn(title, next, end - 1);
      if (owned && title.tokens.slice(owned.first, owned.last + 1).every((token) => token.capital)) {
        const owner = nameIn(title, from, verb - 1);
        from = next;
        return { names: owner ? [owner, owned] : [owned], objects: [], verb: end };
      }
    }
  }
  const names = verb > from ? list(title, from, verb - 1) : [];
  let action = verb;
  while (action < Math.min(count, verb + 6) && !acts(title, action)) action++;
  const object = action < Math.min(count, verb + 6) ? objectAfter(title, action + 1) : null;
  return { names, objects: object ? [object] : [], verb };
}

const acts = (text: Text, index: number): boolean => {
  const word = text.tokens[index]?.fold ?? '';
  return BUY.has(word) || SELL.has(word) || INVEST.has(word);
};
