/**
 * What the models look at. Names of brands, places and people are replaced by what they are, so that nothing specific to
 * one week is learnt by heart.
 */

import type { Subject } from '../../../facts/text/headline-subject.ts';
import type { Part, Reading } from '../../../facts/text/item-reading.ts';
import {
  APPOINT,
  BUY,
  GROW,
  INSTITUTIONS,
  INVEST,
  LAUNCH,
  LEAVE,
  nounClasses,
  OPEN,
  PHRASES,
  RAISE,
  REPORT,
  RULE,
  SELL,
  verbClasses,
} from '../../../language/lexicon.ts';
import { gapAfter } from '../../../language/tokens.ts';
import { CONSUMER_TOPICS, findTopics, GIVEN_NAMES, isCommon, OUTSIDE_TOPICS, stem } from '../../../language/words.ts';
import type { CatalogueBrand } from '../../../schemas/catalogue.ts';
import { findCues, mainClause } from './cues.ts';

// Names of features are made of parts. Each name is made once: joining and hashing the same texts for every item took
// most of the time.

const MAX_JOINED = 60_000;
const joinedNames = new Map<string, Map<string, string>>();
let joinedCount = 0;

/** `left` and `right` as one text. The cache is bounded: when hostile texts fill it, it is cleared. */
function joinName(left: string, right: string): string {
  let row = joinedNames.get(left);
  if (!row) {
    row = new Map();
    joinedNames.set(left, row);
  }
  const joined = row.get(right);
  if (joined !== undefined) return joined;
  if (++joinedCount > MAX_JOINED) {
    joinedNames.clear();
    joinedCount = 0;
  }
  const name = left + right;
  row.set(right, name);
  return name;
}

// A headline in word classes: who does what to which kind of thing. Words that no labelled text has count too.

/** Categories of companies in the catalogue that are outside consumer business. */
const OUTSIDE_CATEGORIES: ReadonlySet<string> = new Set([
  'travel_and_hospitality',
  'logistics_and_retail_technology',
  'automobiles',
  'consumer_services',
  'entertainment',
  'other',
  'conglomerate',
]);

const KIND_OF_COUNT =
  /^(?:dark stores|experience|fulfil|stores?|outlets?|showrooms?|salons?|restaurants?|cafes?|kiosks?|boutiques?|clinics?|screens?|doors|counters?|studios?|gyms?|kitchens?|branches)/;

/** The kinds of names and figures in a text, and which words they cover. */
function kindsIn(part: Part): { kinds: Set<string>; covered: Uint8Array } {
  const kinds = new Set<string>();
  const covered = new Uint8Array(part.tokens.length);
  for (const { first, last, brand, city, mall, investor } of part.mentions) {
    if (brand?.common_word && first > 0) continue;
    if (brand) kinds.add(OUTSIDE_CATEGORIES.has(brand.category) ? '#outsider' : '#brand');
    else if (mall) kinds.add('#mall');
    else if (city) kinds.add('#city');
    else if (investor) kinds.add('#investor');
    covered.fill(1, first, last + 1);
  }
  for (const { kind, unit } of part.figures)
    kinds.add(kind === 'count' || kind === 'ordinal' ? (KIND_OF_COUNT.test(unit) ? '#stores' : '#count') : `#${kind}`);
  for (let index = 0; index + 1 < part.tokens.length; index++) {
    const token = part.tokens[index];
    const next = part.tokens[index + 1];
    if (!token?.capital || !next?.capital || covered[index] || covered[index + 1]) continue;
    if (GIVEN_NAMES.has(token.fold) && !isCommon(next.fold) && gapAfter(part, index) === ' ') {
      kinds.add('#person');
      covered.fill(1, index, index + 2);
    }
  }
  return { kinds, covered };
}

/** Verbs with their objects: a consumer brand that does one of these has made a move. */
const DEEDS: readonly (readonly [string, readonly string[]])[] = [
  ['open', ['store', '#mall', '#stores']],
  ['close', ['store', '#stores']],
  ['launch', ['goods']],
  ['raise', ['#money']],
  ['buy', ['stake']],
  ['appoint', ['role']],
  ['leave', ['role']],
  ['list', ['ipo']],
  ['up', ['metric']],
  ['down', ['metric']],
  ['report', ['metric']],
  ['rule', ['legal']],
];

const isBrand = (brand: CatalogueBrand | null): boolean => brand !== null && !OUTSIDE_CATEGORIES.has(brand.category);

/** Adds the word classes of a headline: each verb and noun class, their pairs, and the class of the subject's own verb. */
function addWordClasses(
  add: AddFeature,
  part: Part,
  subject: Subject,
  brands: readonly (CatalogueBrand | null)[],
): void {
  const { kinds, covered } = kindsIn(part);
  const verbs = new Set<string>();
  const nouns = new Set<string>();
  for (const token of part.tokens) {
    if (covered[token.index]) continue;
    const key = stem(token.fold);
    for (const name of verbClasses(key)) verbs.add(name);
    for (const name of nounClasses(key)) nouns.add(name);
  }
  const phrases = PHRASES.flatMap(([name, form]) => (form.test(part.folded) ? [name] : []));
  const who = brands.some(isBrand) ? 'brand' : brands.length > 0 ? 'somebody' : 'nobody';
  for (const name of verbs) add(joinName('does:', name), 0.5);
  for (const name of nouns) add(joinName('noun:', name), 0.5);
  for (const name of kinds) add(joinName('has:', name), 0.5);
  for (const name of phrases) {
    add(joinName('phrase:', name));
    add(joinName(joinName(who, '+phrase:'), name), 0.5);
    for (const kind of kinds) add(joinName(joinName('phrase:', name), joinName('>', kind)), 0.5);
  }
  for (const verb of verbs) {
    for (const noun of nouns) add(joinName(joinName(verb, '>'), noun), 0.5);
    for (const kind of kinds) add(joinName(joinName(verb, '>'), kind), 0.5);
  }
  for (const noun of nouns) for (const kind of kinds) add(joinName(joinName(noun, '&'), kind), 0.4);
  const own = part.tokens[subject.verb];
  if (!own || subject.names.length === 0) return;
  if (
    who === 'brand' &&
    DEEDS.some(
      ([verb, forms]) =>
        verbClasses(stem(own.fold)).includes(verb) && forms.some((form) => nouns.has(form) || kinds.has(form)),
    )
  )
    add('clear-deed');
  for (const verb of verbClasses(stem(own.fold))) {
    add(joinName('lead:', verb), 0.7);
    add(joinName(joinName(who, '+lead:'), verb), 0.7);
  }
}

const VERB_CLASSES: readonly (readonly [string, ReadonlySet<string>])[] = [
  ['open', OPEN],
  ['launch', LAUNCH],
  ['raise', RAISE],
  ['buy', BUY],
  ['sell', SELL],
  ['invest', INVEST],
  ['appoint', APPOINT],
  ['leave', LEAVE],
  ['report', REPORT],
  ['rule', RULE],
  ['grow', GROW],
];

/** Words of a part with names and figures replaced by their kind. */
function genericWords(part: Part, subject: Subject | null): string[] {
  const kinds: (string | undefined)[] = new Array(part.tokens.length).fill(undefined);
  const fill = (first: number, last: number, kind: string): void => {
    for (let index = first; index <= last; index++) kinds[index] = index === first ? kind : '';
  };
  for (const span of subject?.names ?? []) fill(span.first, span.last, '#name');
  for (const mention of part.mentions) {
    const kind = mention.brand
      ? `#${mention.brand.category}`
      : mention.mall
        ? '#mall'
        : mention.city
          ? '#city'
          : '#investor';
    if (mention.brand?.common_word && kinds[mention.first] === undefined) continue;
    fill(mention.first, mention.last, kind);
  }
  for (const figure of part.figures)
    for (const token of part.tokens)
      if (token.start >= figure.start && token.end <= figure.end)
        kinds[token.index] =
          token.start === figure.start || kinds[token.index - 1] === undefined
            ? `#${figure.kind}${figure.unit && figure.kind !== 'money' ? `:${figure.unit}` : ''}`
            : '';
  return part.tokens.flatMap((token, index) => {
    const kind = kinds[index];
    if (kind === '') return [];
    if (kind) return [kind];
    if (/^fy\d\d$/.test(token.fold)) return ['#fy'];
    if (/^20\d\d$/.test(token.fold)) return ['#year'];
    if (/^\d+$/.test(token.fold)) return ['#number'];
    return token.fold.length > 24 ? [] : [token.fold];
  });
}

/** Places of other countries: the item is about that country unless it names India too. */
const ABROAD =
  /\b(?:US|U\.S\.|USA|UK|EU|China|Chinese|Europe|European|Germany|German|France|French|London|Paris|New York|California|America|American|Japan|Singapore|Dubai|Australia|Canada|global(?:ly)?|worldwide|world's|Ohio|Tuscany|Milan)\b/i;
const AT_HOME = /\b(?:India|Indian|Indians|Bharat|desi|Rs|rupee|crore|lakh|Cr)\b|₹/i;

/** Companies whose news is as often from other countries as from India. */
const GLOBAL =
  /\b(?:Amazon|Apple|Walmart|Nike|Adidas|Puma|Nestl[eé]|Unilever|PepsiCo|Coca-Cola|Starbucks|McDonald's|Pizza Hut|KFC|Yum!?|Burger King|Domino's|Subway|H&M|Zara|Inditex|Uniqlo|IKEA|Gucci|Kering|LVMH|Prada|Chanel|Herm[eè]s|Rolex|Samsung|Sony|LG|Xiaomi|Google|Meta|Microsoft|Tesla|Estee Lauder|L'Or[eé]al|P&G|Shein|Temu|Alibaba|eBay|Costco|Target|Lululemon|Foxconn|Danone|Mondelez|Mars|Heineken|Diageo|Pernod|Carlsberg|AB InBev|Ray-Ban|EssilorLuxottica|De Beers|Pandora|Swarovski|Lego|Mattel|Disney|Netflix)\b/;
/** An action in a summary, with a figure. */
const CONCRETE =
  /\b(?:plans?|aims?|targets?|targeting|set|looks|expects?|is) (?:to|at) .{0,60}\d|\b(?:launched|acquired|raised|opened|invest(?:ed|ing)) .{0,60}/i;

const SECTION =
  /^(?:news|buzz|features|companies|people|startups?|start-ups|interview|interviews|opinion|explainers?|industry|market|markets|money|technology|ai|article|video|videos|photos|podcast|insights|resources|reports|company-results|brand-stories|herstory|smbstory|socialstory)$/;

const kindOfCue = (cue: string): string => cue.slice(0, cue.indexOf(':'));

/** The weight of a word of the summary, where one of the headline has 1. */
const BELOW = 0.4;

type AddFeature = (name: string, strength?: number) => void;

/**
 * Collects the features of an item.
 * @param subject the clause that the headline is about
 * @param brands the catalogue's entry of each primary brand, null for a provisional one
 * @returns the strength of each feature, by name
 */
export function collectFeatures(
  reading: Reading,
  subject: Subject,
  brands: readonly (CatalogueBrand | null)[],
): Map<string, number> {
  const features = new Map<string, number>();
  const add: AddFeature = (name, strength = 1) => {
    features.set(name, Math.min(2, (features.get(name) ?? 0) + strength));
  };
  const words = genericWords(reading.title, subject);
  const below = genericWords(reading.summary, null).slice(0, 60);
  addWords(add, words, below);
  const cues = addCues(add, reading.title.text);
  addSides(add, words, below, brands, cues);
  addWordClasses(add, reading.title, subject, brands);
  addStart(add, reading.title, subject);
  addShapes(add, reading);
  addSections(add, reading);
  if (brands.length === 0) add('brand:none');
  for (const brand of brands) add(brand ? `brand:${brand.category}` : 'brand:provisional', brands.length > 2 ? 0.5 : 1);
  if (brands.some((brand) => brand !== null)) add('brand:known');
  return features;
}

/** Adds the words and topics of a headline, and those of its summary more weakly. */
function addWords(add: AddFeature, words: readonly string[], below: readonly string[]): void {
  const stems = words.map(stem);
  words.forEach((word, index) => {
    add(joinName('t:', stems[index] ?? ''));
    if (index + 1 < words.length)
      add(joinName(joinName('t:', stems[index] ?? ''), joinName(' ', stems[index + 1] ?? '')));
    for (const topic of findTopics(word)) add(joinName('topic:', topic), 0.7);
  });
  for (const word of below) {
    add(joinName('s:', stem(word)), BELOW);
    for (const topic of findTopics(word)) add(joinName('topic-below:', topic), 0.25);
  }
}

/** Adds the cues of a headline. @returns those of its main clause */
function addCues(add: AddFeature, title: string): readonly string[] {
  const main = mainClause(title);
  const cues = findCues(main);
  const scene = main.length < title.length ? findCues(title).filter((cue) => !cues.includes(cue)) : [];
  for (const cue of scene) add(joinName('cue:', cue), 0.4);
  for (const cue of cues) add(joinName('cue:', cue));
  for (const kind of new Set(cues.map(kindOfCue))) add(joinName('kind:', kind));
  return cues;
}

/** Adds the first word of a headline and the class of its verb. */
function addStart(add: AddFeature, title: Part, subject: Subject): void {
  const first = title.tokens[0]?.fold ?? '';
  add(
    `first:${first.length > 12 ? '#' : /\d/.test(first) ? '#number' : ['how', 'why', 'can', 'inside', 'what', 'who', 'is', 'from', 'meet', 'after', 'the', 'will', 'when', 'as', 'with', 'india', 'govt'].includes(first) ? first : '#'}`,
  );
  const verb = title.tokens[subject.verb]?.fold ?? '';
  for (const [name, members] of VERB_CLASSES) if (members.has(verb)) add(joinName('verb:', name));
}

/** Adds the form of the texts, and whether they are about another country. */
function addShapes(add: AddFeature, reading: Reading): void {
  if (reading.title.text.includes('?')) add('shape:question');
  if (/&\s+more$/i.test(reading.title.text)) add('shape:more');
  if (/;/.test(reading.title.text)) add('shape:semicolon');
  const abroad = ABROAD.test(reading.title.text);
  const home = AT_HOME.test(reading.title.text) || reading.title.mentions.some((mention) => mention.city);
  if (abroad && !home) add('place:abroad');
  if (home) add('place:home');
  if (abroad && !home && !AT_HOME.test(reading.summary.text)) add('place:abroad-only');
  if (!AT_HOME.test(reading.summary.text) && !home && GLOBAL.test(reading.title.text)) add('place:global-firm');
  if (/^(?:how|why|inside|decoding|can|what|beyond)\b/i.test(reading.title.text) && CONCRETE.test(reading.summary.text))
    add('shape:question-with-deed');
  if (
    /^shares? (?:of|in)\b|\bshares? of .{3,50} (?:fell|rose|jumped|surged|slipped|tumbled|plunged)/i.test(
      reading.summary.text,
    )
  )
    add('shape:shares-below');
  if (/^['"‘“]/.test(reading.title.text)) add('shape:quote');
  if (/:/.test(reading.title.text)) add('shape:colon');
  if (reading.title.tokens.some((token) => INSTITUTIONS.has(token.fold))) add('shape:institution');
  if (/^\s*[{[(]\s*funding/i.test(reading.item.title)) add('shape:funding-alert');
  if (/^\s*(?:\w+\s){1,3}news\s*:/i.test(reading.item.title)) add('shape:news-label');
}

/** Adds the section of the site in the address, and whether the outlet is of the trade. */
function addSections(add: AddFeature, reading: Reading): void {
  for (const section of reading.path.slice(0, -1)) if (SECTION.test(section)) add(joinName('section:', section));
  for (const field of reading.path.slice(0, -1))
    for (const word of field.split('-'))
      for (const topic of findTopics(word)) add(joinName('section-topic:', topic), 0.5);
  if (/retail|fashion|beauty|food|franchise|fmcg|grocer|apparel|jewel/.test(reading.host)) add('outlet:trade');
}

/** Adds the side of an item, consumer business or other fields, combined with whether it reports a move. */
function addSides(
  add: AddFeature,
  words: readonly string[],
  below: readonly string[],
  brands: readonly (CatalogueBrand | null)[],
  cues: readonly string[],
): void {
  const topics = words.flatMap(findTopics);
  const deeper = below.slice(0, 30).flatMap(findTopics);
  const namesConsumerBrand = brands.some((brand) => brand && !OUTSIDE_CATEGORIES.has(brand.category));
  const outsider = brands.some((brand) => brand && OUTSIDE_CATEGORIES.has(brand.category));
  const count = (list: readonly string[], among: ReadonlySet<string>): number =>
    list.filter((topic) => among.has(topic)).length;
  const consumer =
    count(topics, CONSUMER_TOPICS) + 0.4 * count(deeper, CONSUMER_TOPICS) + (namesConsumerBrand ? 1.5 : 0);
  const outside = count(topics, OUTSIDE_TOPICS) + 0.4 * count(deeper, OUTSIDE_TOPICS) + (outsider ? 1.5 : 0);
  const side =
    consumer >= outside + 1
      ? 'consumer'
      : outside >= consumer + 1
        ? 'outside'
        : consumer + outside < 1
          ? 'unknown'
          : 'mixed';
  const move = cues.some((cue) => !/^(?:noise|other)/.test(cue));
  const noise = cues.some((cue) => cue.startsWith('noise'));
  add(joinName('side:', side));
  add(`side:${side}+${move ? 'move' : 'still'}${noise ? '+noise' : ''}`);
  for (const kind of new Set(cues.map(kindOfCue))) add(joinName(joinName('side:', side), joinName('+', kind)));
  if (namesConsumerBrand) add('known-consumer');
  if (namesConsumerBrand && move && !noise) add('clean-move');
  if (brands.length > 0 && brands.every((brand) => brand === null) && move && !noise)
    add(joinName('unknown-move:', side));
  const who = brands.length === 0 ? 'nobody' : namesConsumerBrand ? 'known' : 'somebody';
  for (const kind of new Set(cues.map(kindOfCue))) add(joinName(joinName(who, '+'), kind), 0.7);
}
