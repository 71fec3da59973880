/** Whom a headline is about: the names before its verb, and what the verb acts on. */

import { BUY, DESCRIPTORS, INVEST, MOVE_VERBS, NAME_ENDS, SELL, STRONG } from '../../language/lexicon.ts';
import { gapAfter, sliceOf, type Text } from '../../language/tokens.ts';
import { isCommon } from '../../language/words.ts';
import type { Mention, Part } from './item-reading.ts';

// Names of companies as headlines write them: spans of capitalised words, without the words around them.

const LEADING = new Set(
  'exclusive the a an how why can will inside indian global after as with when is decoding homegrown desi ex former japan chinese korean american swiss german french british danish mumbai bengaluru delhi gurugram chennai hyderabad based led omnichannel listed actor actress rival designer chef'.split(
    ' ',
  ),
);
const KEPT = new Set(['the']);
/** The second word of what describes a name: `Swiggy-owned`, `Pune-based`. */
const DESCRIBING_WORDS = new Set('backed owned funded founded promoted controlled led bound based run'.split(' '));

/**
 * Trims a span of words to the name in it: the words up to a descriptor (`D2C Dairy Brand`) or an owner (`Swiggy-owned`)
 * are dropped, and so are leading small words and a possessive at the end.
 * @returns the words of the name (both included), or null when nothing is left
 */
export function trimName(text: Text, first: number, last: number): { first: number; last: number } | null {
  let from = first;
  for (let index = first; index < last; index++) {
    const word = text.tokens[index]?.fold ?? '';
    const next = text.tokens[index + 1];
    if (!next) break;
    const owned =
      DESCRIBING_WORDS.has(word) &&
      (gapAfter(text, index - 1) === '-' ||
        (word === 'backed' && next.capital && text.tokens[index]?.capital === false));
    if (
      owned ||
      (STRONG.has(word) &&
        next.capital &&
        (!isCommon(next.fold) || (index > from && last - index >= 2) || /^\p{Lu}{3,}$/u.test(next.text)) &&
        /^\s$/.test(gapAfter(text, index))) ||
      (DESCRIPTORS.has(word) && next.capital && !/[&.]/.test(gapAfter(text, index)) && isDescribing(text, from, index))
    )
      from = index + 1;
    else if (
      word === 's' &&
      /['’]/.test(gapAfter(text, index - 1)) &&
      next.capital &&
      index - from >= 2 &&
      isPersonBefore(text, from, index)
    )
      from = index + 1;
  }
  while (from <= last) {
    const word = text.tokens[from];
    if (!word) return null;
    const dropped = LEADING.has(word.fold) && !(KEPT.has(word.fold) && word.capital && from < last);
    if (dropped && from < last) from++;
    else if (!word.capital && !/\p{Lu}/u.test(word.text) && from < last && from > first) from++;
    else break;
  }
  let to = last;
  while (to > from && text.tokens[to]?.fold === 's' && /['’]/.test(gapAfter(text, to - 1))) to--;
  // `Indri Whisky Maker`: a description after the name.
  if (to > from && STRONG.has(text.tokens[to]?.fold ?? '')) {
    to--;
    while (to > from && isCommon(text.tokens[to]?.fold ?? '') && !isCommon(text.tokens[from]?.fold ?? '')) to--;
  }
  return to >= from ? { first: from, last: to } : null;
}

/** `Metro Brands` is a name, `D2C brand` is none: a descriptor describes when a lower-case or generic word is next to it. */
export const GENERIC = new Set(
  'd2c b2b b2c fashion beauty dairy skincare haircare nutrition food snack snacks beverage retail jewellery jewelry footwear furniture rental kitchenware cookware perfume fragrance lifestyle sports sportswear fitness health wellness pet grocery quick commerce ecommerce edtech fintech kids kidswear baby eyewear luggage travel home decor apparel ethnic wear innerwear activewear coffee tea qsr restaurant cloud kitchen gifting platform electronics appliances audio gaming luxury premium skin hygiene protein supplements sports spirits beer wine ice cream chocolate electronics tech online offline organic natural ayurvedic men mens women womens personal care consumer fmcg value omnichannel indian global leading listed tier sneaker streetwear watch watches toy toys diamond lab grown mattress sleep meal plant based ev logistics ai saas deeptech insurtech proptech healthtech agritech social media design interior interiors delivery virtual virtualised popular top pe vc private equity music media cleantech us uk korean wedding maternity intimate bath body cosmetics makeup hair oral mobility adtech foodtech ride hailing healthcare'.split(
    ' ',
  ),
);

function isDescribing(text: Text, first: number, index: number): boolean {
  const word = text.tokens[index];
  const before = text.tokens[index - 1];
  if (!word) return false;
  if (!word.capital) return true;
  if (index === first) return false;
  return GENERIC.has(before?.fold ?? '') || isCommon(before?.fold ?? '');
}

const isPersonBefore = (text: Text, first: number, end: number): boolean =>
  end - first === 2 && text.tokens.slice(first, end).every((token) => token.capital && token.text.length > 2);

/** The tidied text of a name: `BRND. ME` is `BRND.ME`, closing points and quotes are dropped. */
export const tidyName = (text: Text, span: { first: number; last: number }): string => {
  let name = sliceOf(text, span.first, span.last);
  const next = text.text.slice(text.tokens[span.last]?.end ?? 0).match(/^[.!](?=\s+\p{Lu}?\p{Ll})/u);
  if (next && (next[0] === '.' || next[0] === '!') && name.length < 40) name += next[0] === '!' ? '!' : '.';
  return name
    .replace(/[’`]/g, "'")
    .replace(/\.\s(?=\p{L})/gu, '. ')
    .replace(/^['"‘“]+|['"”]+$/g, '')
    .trim();
};

/** Words from one to another, both included. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

interface Aside {
  readonly span: Span;
  readonly as: 'owner' | 'founder';
}

export interface Subject {
  /** Names before the verb, in order. */
  readonly names: readonly Span[];
  /** The name that the verb acts on: what it buys, sells, funds or partners with. */
  readonly object: Span | null;
  /** What the verb does to its object. */
  readonly act: 'buy' | 'sell' | 'invest' | 'partner' | 'role' | null;
  /** Names in front of the subject: its owner (`Eternal's District`) or the company of its founder (`Hocco Cofounder's Phab`). */
  readonly asides: readonly Aside[];
  /** Index of the verb, or of the noun that ends the name; the number of words when there is none. */
  readonly verb: number;
}

const OPENERS = new Set(
  'how why can will inside decoding is are when what who from beyond does did here exclusive'.split(' '),
);
const LEADING_CLAUSES = new Set('after as with amid despite ahead before post following'.split(' '));
/** Words that open a place or a time in front of the subject, when a comma closes it soon: `In Ahmedabad, GIVA …`. */
const LEADING_PLACES = new Set('in at from on for by to'.split(' '));
const MAX_PLACE_WORDS = 5;
const CONNECTORS = new Set('of and by the x n de for'.split(' '));

/** Whether a word is the s of a possessive: "Tata's" is read as two words. */
export const isPossessive = (part: Part, index: number): boolean =>
  part.tokens[index]?.fold === 's' && /^['’‘]$/.test(gapAfter(part, index - 1));

const inMention = (part: Part, index: number): boolean =>
  part.mentions.some(
    (mention) => mention.first <= index && index <= mention.last && (mention.brand || mention.mall || mention.investor),
  );

/** Whether a headline is written as a sentence, with capitals only for names. */
export function isSentenceCase(part: Part): boolean {
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
    const comma = part.tokens.slice(0, MAX_PLACE_WORDS).findIndex((_, index) => gapAfter(part, index).startsWith(','));
    if (comma > 0) starts[0] = comma + 1;
  }
  part.tokens.forEach((_, index) => {
    if (/^\s*(?:[:|]\s|\s[–—-]\s)/.test(gapAfter(part, index)) && index + 1 < part.tokens.length)
      starts.push(index + 1);
  });
  return starts.slice(0, 4);
}

/** A quarter or half with its year in one word, such as `Q4FY26`. */
const PERIOD = /^(?:q[1-4]|h[12]|9m)fy\d{2,4}$/;

function isEnd(part: Part, index: number): boolean {
  const token = part.tokens[index];
  if (!token) return true;
  if (inMention(part, index) && part.mentions.some((mention) => mention.first < index && index <= mention.last))
    return false;
  // `Open Secret Raises`: a name of several words that begins with a verb.
  if (
    part.mentions.some(
      ({ first, last, brand }) =>
        first === index &&
        last > index &&
        brand &&
        (!brand.common_word || STRONG.has(part.tokens[index - 1]?.fold ?? '')),
    )
  )
    return false;
  if (DESCRIBING_WORDS.has(token.fold) && (gapAfter(part, index - 1) === '-' || token.fold === 'backed')) return false;
  if (isPossessive(part, index)) return true;
  if (token.fold === 's') return false;
  if (PERIOD.test(token.fold)) return true;
  if (MOVE_VERBS.has(token.fold) || NAME_ENDS.has(token.fold))
    return !(token.capital && gapAfter(part, index - 1) === '-');
  return /(?:₹|\brs\.?|\$)\s?$/i.test(gapAfter(part, index - 1)) || token.fold === 'rs';
}

/** In a headline written as a sentence a small word ends the name, once there is one. */
function smallEnd(part: Part, from: number, index: number): boolean {
  const token = part.tokens[index];
  if (!token || token.capital || CONNECTORS.has(token.fold) || DESCRIPTORS.has(token.fold) || inMention(part, index))
    return false;
  if (DESCRIBING_WORDS.has(token.fold)) return false;
  if (/^[.@]/.test(gapAfter(part, index - 1)) || /\p{Lu}/u.test(token.text)) return false;
  const owner = part.tokens.slice(from, index).findLast((word) => DESCRIBING_WORDS.has(word.fold));
  const run = part.tokens.slice((owner?.index ?? from - 1) + 1, index);
  return (
    run.some((word) => word.capital && !isCommon(word.fold) && !GENERIC.has(word.fold)) ||
    run.some((word) => inMention(part, word.index))
  );
}

/** Whether the verb after a name is in the singular: `Truth and Hair Secures` is one company, unless the catalogue knows two. */
function isSingular(part: Part, first: number, last: number): boolean {
  const verb = part.tokens[last + 1]?.fold ?? '';
  const companies = part.mentions.filter((mention) => mention.brand && first <= mention.first && mention.last <= last);
  return (
    companies.length === 0 &&
    MOVE_VERBS.has(verb) &&
    /[^su]s$/.test(verb) &&
    !part.tokens.slice(first, last + 1).some((_, index) => gapAfter(part, first + index).startsWith(','))
  );
}

/** Splits `Amazon, Flipkart and Zepto`; an `and` inside a catalogue name does not split it. */
function splitNames(part: Part, first: number, last: number): Span[] {
  const spans: Span[] = [];
  const one = isSingular(part, first, last);
  let from = first;
  for (let index = first; index <= last; index++) {
    const within = part.mentions.some((mention) => mention.first < index && index < mention.last);
    if (part.tokens[index]?.fold === 'and' && index > from && index < last && !within && !one) {
      spans.push({ first: from, last: index - 1 });
      from = index + 1;
    } else if (index < last && /^,\s/.test(gapAfter(part, index))) {
      spans.push({ first: from, last: index });
      from = index + 1;
    }
  }
  spans.push({ first: from, last });
  return spans.flatMap((span) => trimName(part, span.first, span.last) ?? []);
}

const OBJECT_STOPS = new Set(
  'in for from at to via with on by as amid after shares share stake stakes worth business deal unit through ops operations rights ipo s upcoming parent before ahead and india over into acquisition minority majority portfolio family fold stable'.split(
    ' ',
  ),
);
const BEFORE_OBJECT = new Set(
  'majority minority controlling significant strategic stake stakes shares share in pc rs a an control of cr mn bn lakh additional more entire full for from to and remaining usd crore million up the its with by half india operations worth rights over further fresh all some'.split(
    ' ',
  ),
);

/** `Women's Label Berrylush`: the possessive of an ordinary word belongs to the description. */
const ofEverybody = (part: Part, index: number): boolean =>
  isPossessive(part, index) && isCommon(part.tokens[index - 1]?.fold ?? '');

/** The first name after a verb, without stakes and amounts; what is sold precedes its buyer (`sells 6% to Alpha Wave`). */
function objectAfter(part: Part, from: number, act: Subject['act']): Span | null {
  let first = -1;
  const buyer =
    act === 'sell'
      ? part.tokens.findIndex((token, index) => index > from && token.fold === 'to' && part.tokens[index + 1]?.capital)
      : -1;
  const end = Math.min(part.tokens.length, from + 14, buyer > 0 ? buyer : part.tokens.length);
  for (let index = from; index < end; index++) {
    const token = part.tokens[index];
    if (!token) break;
    const joined = /^[.&-]/.test(gapAfter(part, index - 1)) || ofEverybody(part, index);
    if (first < 0) {
      if (token.capital && !BEFORE_OBJECT.has(token.fold) && !/^\d/.test(token.text)) first = index;
    } else if (
      !inMention(part, index) &&
      !joined &&
      (OBJECT_STOPS.has(token.fold) ||
        (!token.capital && !DESCRIPTORS.has(token.fold)) ||
        /[,:;(]/.test(gapAfter(part, index - 1)))
    )
      return trimName(part, first, index - 1);
  }
  return first >= 0 ? trimName(part, first, end - 1) : null;
}

const ROLES = new Set(
  'ceo cfo coo cmo cto cbo chro md director president chairman chairperson head officer chief'.split(' '),
);
const PARTNER =
  /\b(?:partners?|partnered|ties? up|tied up|teams? up|collaborates?|joins? (?:hands|forces)|taps|jv|integrates?|implements?|partnership)\b(?: (?:with|hands with|up with))?/i;

/** `Announces Strategic Manufacturing Partnership with`. */
const PACT =
  /^(?:announces?|signs?|inks?|forges?|enters?|strikes?|seals?|expands?|extends?|renews?)\s(?:(?!with\b)[\p{L}-]+\s){0,5}?(?:partnership|alliance|tie-up|pact|agreement|mou|collab(?:oration)?) with\b/iu;
/** `Joins Everwell Portfolio`. */
const JOINS = /^joins\s(?:[\p{L}\d'’&.-]+\s){1,4}?(?:portfolio|family|fold|stable)\b/iu;

/** `Raises stake in`. */
const RAISES = /^(?:raises?|hikes?|ups|increases?)$/;

/** `Picks a banker`, `takes the premium route`: words that buy only with a stake, a share or control after them. */
const isOtherwise = (part: Part, index: number): boolean =>
  /^(?:picks?|takes?)$/.test(part.tokens[index]?.fold ?? '') &&
  !/^(?:\s*(?:up|over|control|full|majority|minority|stake|charge of|\d|a (?:stake|majority|minority|controlling|\d)))/i.test(
    part.text.slice(part.tokens[index]?.end ?? 0),
  );

function actAt(part: Part, verb: number): { act: Subject['act']; at: number } {
  for (let index = verb; index < Math.min(part.tokens.length, verb + 6); index++) {
    const word = part.tokens[index]?.fold ?? '';
    if (gapAfter(part, index) === '-' || gapAfter(part, index - 1) === '-') continue;
    if (BUY.has(word) && !isOtherwise(part, index)) return { act: 'buy', at: index };
    // `MyFitness sold to Marico`: what is sold is the subject.
    if (word === 'sold' && /^(?:to|back)$/.test(part.tokens[index + 1]?.fold ?? '')) return { act: 'buy', at: index };
    if (SELL.has(word)) return { act: 'sell', at: index };
    if (word === 'race' && part.tokens[index + 1]?.fold === 'for') return { act: 'buy', at: index + 1 };
    if (INVEST.has(word)) return { act: 'invest', at: index };
    if (/^[,:;]/.test(gapAfter(part, index))) break;
  }
  const stake = part.tokens.findIndex(
    (token, index) =>
      index >= verb && (token.fold === 'stake' || token.fold === 'round') && part.tokens[index + 1]?.fold === 'in',
  );
  if (stake >= 0 && stake < verb + 12)
    return {
      act: part.tokens.slice(verb, stake).some((token) => BUY.has(token.fold) || RAISES.test(token.fold))
        ? 'buy'
        : 'invest',
      at: stake + 1,
    };
  const role = part.tokens.findIndex(
    (token, index) => index > verb && ROLES.has(token.fold) && /^(?:of|at)$/.test(part.tokens[index + 1]?.fold ?? ''),
  );
  if (role >= 0) return { act: 'role', at: role + 1 };
  const word = part.tokens[verb];
  const next = part.text.slice(word?.start ?? part.text.length);
  if (JOINS.test(next)) return { act: 'partner', at: verb };
  const pact = PACT.exec(next);
  if (pact)
    return {
      act: 'partner',
      at: part.tokens.findLastIndex((token) => token.start < (word?.start ?? 0) + pact[0].length),
    };
  const partner = PARTNER.exec(next.slice(0, 60));
  if (partner && partner.index < 12) {
    const at = part.tokens.findLastIndex(
      (token) => token.start < (word?.start ?? 0) + partner.index + partner[0].length,
    );
    const after = part.tokens[at + 1]?.fold ?? '';
    if (!/^(?:to|ex|former|veteran)$/.test(after)) return { act: 'partner', at };
  }
  return { act: null, at: verb };
}

function readClause(part: Part, start: number, sentence: boolean): Subject {
  const count = part.tokens.length;
  let from = start;
  let verb = count;
  const asides: Aside[] = [];
  const putAside = (last: number, as: Aside['as']): void => {
    const hyphened = part.tokens[last]?.fold === 'co' ? last - 1 : last;
    const span = hyphened >= from ? trimName(part, from, hyphened) : null;
    if (span) asides.push({ span, as });
  };
  for (let index = from; index < count; index++) {
    const first = index === from;
    if (!first && (isEnd(part, index) || (sentence && smallEnd(part, from, index)))) {
      verb = index;
      const venture = ventureOf(part, index);
      if (venture > 0) {
        putAside(index - 1, 'founder');
        from = venture;
        index = venture - 1;
        verb = count;
        continue;
      }
      if (isPossessive(part, index) && part.tokens[index + 1]?.capital && ownsName(part, index + 1)) {
        putAside(index - 1, 'owner');
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
  const names = verb > from && !soft ? splitNames(part, from, verb - 1) : [];
  const { act, at } = verb < count ? actAt(part, verb) : { act: null, at: verb };
  const object = act ? objectAfter(part, at + 1, act) : null;
  return { names, object, act: object ? act : null, asides, verb };
}

const FOUNDERS = /^(?:(?:co)?founders?|promoters?|backers?)$/;

/** `Hocco Cofounder's Snack Brand Phab Nets`: where the words for a founder's own company begin; 0 for none. */
function ventureOf(part: Part, index: number): number {
  if (!FOUNDERS.test(part.tokens[index]?.fold ?? '')) return 0;
  const from = isPossessive(part, index + 1) ? index + 2 : /^['’‘]\s/.test(gapAfter(part, index)) ? index + 1 : 0;
  if (from === 0 || from >= part.tokens.length) return 0;
  for (let end = from; end < Math.min(part.tokens.length, from + 9); end++)
    if (isEnd(part, end)) return end > from && part.tokens[end - 1]?.capital ? from : 0;
  return 0;
}

/** `Kusha Kapila's Underneat Crosses`: a name after the possessive is the subject when a verb follows soon. */
function ownsName(part: Part, from: number): boolean {
  let end = from;
  while (end < part.tokens.length && !isEnd(part, end)) end++;
  const run = part.tokens.slice(from, end);
  return (
    end > from &&
    end - from <= 4 &&
    end < part.tokens.length &&
    run.every((token) => token.capital || inMention(part, token.index)) &&
    run.some((token) => !isCommon(token.fold) && !GENERIC.has(token.fold))
  );
}

const OWNER_WORDS =
  /^(?:parents?|owners?|makers?|manufacturers?|operators?|bottlers?|franchisees?|licensees?|retailers?|sellers?|distributors?)$/;
/** So many small words may stand between a brand and what its owner is called: `Absolut vodka maker`. */
const MAX_PRODUCT_WORDS = 2;

/**
 * Where the name begins that a brand only describes, as in `KFC operator Devyani`, `Absolut vodka maker Pernod Ricard` and `Arrow,
 * Izod and Tommy Hilfiger retailer Arvind Fashions`.
 * @returns the index of the word; 0 for none
 */
export function nameDescribedBy(part: Part, { last }: Pick<Mention, 'last'>): number {
  const gap = gapAfter(part, last);
  const joined = gap === ', ' || part.tokens[last + 1]?.fold === 'and';
  if (joined) {
    const from = gap === ', ' ? last + 1 : last + 2;
    const next = part.mentions.find(({ first, brand }) => first === from && brand);
    return next ? nameDescribedBy(part, next) : 0;
  }
  let at = isPossessive(part, last + 1) ? last + 2 : last + 1;
  if (part.tokens[at]?.fold === 'india') at++;
  const end = at + MAX_PRODUCT_WORDS;
  while (at < end && !OWNER_WORDS.test(part.tokens[at]?.fold ?? '')) {
    const word = part.tokens[at];
    if (!word || word.capital || MOVE_VERBS.has(word.fold) || NAME_ENDS.has(word.fold)) return 0;
    at++;
  }
  const [owner, name] = [part.tokens[at], part.tokens[at + 1]];
  const isDescription =
    owner !== undefined && OWNER_WORDS.test(owner.fold) && /^[\s'’-]*$/.test(gapAfter(part, at - 1));
  return isDescription && name?.capital && gapAfter(part, at) === ' ' ? at + 1 : 0;
}

/** Reads the clauses of a headline, first clause first. Pure; indexes are words of `title`. */
export function readSubjects(title: Part): Subject[] {
  const sentence = isSentenceCase(title);
  return beginnings(title).map((start) => readClause(title, start, sentence));
}
