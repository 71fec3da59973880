/** Names that the catalogue lacks: which words can be the name of a company, and which are a person, a place or a thing. */
import { GENERIC, type Span, type Subject } from './headline-subject.ts';
import type { Part } from './item-reading.ts';
import { APPOINT, INSTITUTIONS, LAUNCH, OPEN, RAISE, STRONG } from './model/lexicon.ts';
import { GIVEN_NAMES, isCommon } from './model/words.ts';
import { fold, gapAfter, sliceOf } from './tokens.ts';

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean));

/** A name does not begin with one of these, and does not consist of them: countries, regions, months, feasts, periods, authorities. */
const NOT_NAMES = wordSet(
  `india indian indians bharat asia asian africa african europe european america american russia russian sweden swedish swiss
  switzerland german french danish denmark italian italy spain spanish korean british britain england chinese japanese arab
  arabia gulf taiwan japan china korea germany france dubai singapore australia australian us uk uae usa eu saudi qatar oman
  kuwait bahrain bangladesh pakistan nepal bhutan lanka lankan sri maldives myanmar thailand thai vietnam vietnamese indonesia
  indonesian malaysia malaysian philippines turkey turkish iran iranian iraq israel israeli egypt kenya nigeria canada canadian
  mexico mexican brazil brazilian ukraine scotland scottish ireland irish netherlands dutch belgium poland
  andhra karnataka kerala maharashtra gujarat rajasthan punjab haryana bihar odisha assam goa telangana tamil nadu madhya pradesh
  uttar bengal himachal uttarakhand jharkhand chhattisgarh sikkim kashmir ncr
  january february march april may june july august september october november december monday tuesday wednesday thursday
  friday saturday sunday diwali onam holi dussehra navratri rakhi pongal eid ramadan christmas dhanteras durga ganesh
  rs fy24 fy25 fy26 fy27 fy28 fy29 fy30 q1 q2 q3 q4 h1 h2 9m noel rcb pli fema nino fifa ipl gst mrp fdi gen ipo ipos drhp mou jv b2b b2c d2c esop cagr
  yoy qoq gmv aov arr ai companies consumers customers experts govt government centre council inc regulatory creditors report
  women men kids exclusive update other here new experience charge global now el west middle south north east retail staring
  sea apac emea mena gcc hackers thieves scammers fraudsters robbers geopolitical festive monsoon summer winter budget parliament cabinet sensex nifty rupee gold silver crude oil`,
);

/** A name with one of these as its last word is a thing: `Keyword Wars`, `Geopolitical Concerns`, `Retail Inflation`. */
const THINGS = wordSet(
  `concerns concern wars war race battle battles crisis boom rush push inflation demand prices price imports exports funds plan
  plans scheme policy norms row probe boycott fever frenzy craze hype bet bets season festival week weekend day days month year
  years sector industry economy rally crash selloff workers employees farmers sales buyers shoppers users tensions tension
  tariffs tariff duty duties tax taxes curbs ban costs cost margins margin growth slowdown recovery outlook questions question
  story test blues woes pangs hopes hope fears fear bites effect impact heat heatwave rains leaders executives investors bankers
  analysts lenders creditors officials sources attorneys regulators authorities history verdict hearing order trial penalty fine
  consumption spending sentiment leasing volumes orders discounts deals offers awards award summit conclave podcast gap jinx
  valuation valuations timeline deadline shortage supply crunch pressure momentum`,
);
/** A name of one of these and ordinary words only is a group: `Mutual Funds`, `Consumer Companies`, `Quick Commerce Platforms`. */
const GROUPS = wordSet(
  `companies firms makers majors players brands startups retailers platforms marketplaces restaurants hotels cafes malls stores
  jewellers traders sellers distributors exporters importers banks manufacturers operators chains apps giants unicorns founders
  promoters celebrities families households students artisans designers brokers insurers airlines telcos`,
);
/** A seat or a profession: a name with one of these in it is a person's. */
const SEATS = wordSet(
  `ceo cfo coo cmo cto cbo chro cpo cio md vp svp avp evp chairman chairperson chairwoman president director founder cofounder executive exec
  veteran head minister secy secretary commissioner governor actor actress cricketer cricketers singer rapper comedian influencer
  billionaire entrepreneur investor economist analyst justice judge advocate shri smt dr mr mrs ms`,
);

/** Verbs whose subject is always a company: before them even ordinary words are a name (`Bad Boy Pizza Raises`). */
export const isCompanyVerb = (word: string): boolean =>
  RAISE.has(word) ||
  OPEN.has(word) ||
  LAUNCH.has(word) ||
  APPOINT.has(word) ||
  /^(?:plans|targets|expands|enters|strengthens|reports|posts|files|acquires|partners|crosses|unveils)$/.test(word);

/** A round is no company: `picks up $14 million in Series A`. */
const ROUND = /^(?:pre[- ]?)?(?:series [a-k]\d?|(?:seed|bridge|angel|growth)(?: (?:round|funding|capital))?)$/i;
const JOINING = /^(?:of|and|by|the|x|n|de|for|s|i|a|in)$/;

/** Whether a headline is not set in capitals throughout, so that a word in capitals is a name: `BUILT Raises $2 Mn`. */
const isSetOff = (part: Part, index: number): boolean => {
  const text = part.tokens[index]?.text ?? '';
  return /^\p{Lu}{3,}$/u.test(text) && part.tokens.some((token) => /\p{Ll}{2}/u.test(token.text));
};

/**
 * Whether a span that the catalogue lacks can be the name of a company.
 * @param sentence whether the headline is written as a sentence, with capitals only for names
 */
export function isPlausibleName(part: Part, span: Span, subject: Subject, sentence: boolean): boolean {
  const words = part.tokens.slice(span.first, span.last + 1);
  const name = sliceOf(part, span.first, span.last);
  const first = words[0];
  const last = words.at(-1);
  if (!first || !last || words.length > 5 || name.length < 2 || name.length > 60 || !/\p{L}/u.test(name)) return false;
  // "75% Oyo parent", "After Apple, India's boom": a figure or a comma belongs to the sentence around a name.
  if (/[%₹$,]/.test(name)) return false;
  if (ROUND.test(name) || NOT_NAMES.has(first.fold)) return false;
  if (words.some((word) => SEATS.has(word.fold)) || THINGS.has(last.fold)) return false;
  const ordinary = (fold: string): boolean => isCommon(fold) || NOT_NAMES.has(fold) || GENERIC.has(fold);
  if (GROUPS.has(last.fold) && words.slice(0, -1).every((word) => ordinary(word.fold))) return false;
  if (
    words.some((word) => INSTITUTIONS.has(word.fold) && (word.text.length > 3 || word.text === word.text.toUpperCase()))
  )
    return false;
  const small = words.filter((word) => !word.capital && !JOINING.test(word.fold) && !/\p{Lu}/u.test(word.text));
  if (small.length > 0 && !/[.&@]/.test(name)) return false;
  if (words.some((word) => !ordinary(word.fold) || (sentence && word.index > 0 && /^\p{Lu}\p{Ll}/u.test(word.text))))
    return !(sentence && span.first === 0 && words.length === 1 && /ing$/.test(first.fold));
  const verb = part.tokens[subject.verb]?.fold ?? '';
  const described = STRONG.has(part.tokens[span.first - 1]?.fold ?? '');
  if (words.length === 1 && isSetOff(part, span.first)) return described || isCompanyVerb(verb);
  if (words.length >= 2 && described) return true;
  return !sentence && words.length >= 2 && (subject.names.length > 1 || isCompanyVerb(verb));
}

const PERSON = /^\p{Lu}[\p{Ll}']+(?:\s\p{Lu}[\p{L}.']*){1,2}$/u;
/** Whether a name has the form of a person's: two or three capitalised words that are no ordinary ones. */
export const hasPersonForm = (name: string): boolean =>
  PERSON.test(name) && !name.split(' ').some((word) => isCommon(word.toLowerCase()));

/** Whether a name is a person's by a given name in it: `Tanvi Deshmukh`, `Chief Marketing Officer Sameer Gokhale`. */
export const hasGivenName = (name: string): boolean => {
  const words = name.split(' ');
  return words.length >= 2 && words.slice(0, -1).some((word) => GIVEN_NAMES.has(fold(word)));
};

/** The run of capitalised words that begins at a word, up to the next small word, figure or mark. */
export function capitalRun(part: Part, first: number): Span | null {
  if (!part.tokens[first]?.capital || /^\d/.test(part.tokens[first]?.text ?? '')) return null;
  let last = first;
  while (part.tokens[last + 1]?.capital && /^[\s&.'’-]{1,3}$/.test(gapAfter(part, last))) last++;
  return { first, last };
}
