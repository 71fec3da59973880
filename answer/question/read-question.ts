/** Reads a question: its subject, period, intent, and the words that evidence has to match. */
import type { PreparedCatalogue } from '../../ingest/understand/catalogue.ts';
import { stem } from '../../ingest/understand/model/words.ts';
import { tokenise } from '../../ingest/understand/tokens.ts';
import { MOVES, type Move } from '../../schemas/scalar.ts';
import { type Intent, moveWords, readIntent } from './question-intent.ts';
import { type Named, readSubject, type Subject, toNamedBrand } from './question-names.ts';
import { type Period, readPeriod } from './question-period.ts';

// The words of a question that nothing else has understood: evidence has to contain them.

/** Words that ask, join or fill, and those that every signal of the subject is about. */
const EMPTY = new Set(
  (
    'a an the this that these those there here it its they them their he she his her we us our you your i me my mine ' +
    'is are was were be been being am do does did done has have had having can could may might would will shall ' +
    'and or but if of in on at by to from for with about into over under between through during as than then ' +
    'what whats which who whom whose when where why how many much often ever any some all each every both either ' +
    'tell show give list find get got let know please summarise summarize summary explain describe overview update updates ' +
    'happen happened happening going doing make made makes take took go went come came coming say says said see seen ' +
    'new news newest latest recent recently lately currently now today so far just yet still already most least more less fewer ' +
    'biggest largest highest top main key big large many number count total totals altogether overall together ' +
    'indian india indias retail retailer retailers brand brands company companies firm firms business businesses player players sector industry market consumer ' +
    'move moves signal signals story stories report reports reported record records announcement announcements announced announce development developments activity activities ' +
    'not no also only too very up down out off again same other others another else one ones thing things anything everything ' +
    'vs versus compare compared comparison against relative difference between side ' +
    'inside within across around since until till before after last past previous week weeks month months year years quarter quarters day days time times period ' +
    'growth yoy net gross annual quarterly ' +
    'plan plans planning planned next add adds adding added first put puts city cities near nearby pay pays paid ask asks asked ' +
    'date exactly actually really ok okay hi hello hey thanks thank kind kinds type types sort place places s t re ve ll'
  ).split(' '),
);

/** Words that say the same in headlines of the trade, each group by one stem. */
const GROUPS = [
  'shop store outlet showroom door cafe restaurant boutique branch',
  'shut close closure exit wind shutter curtain lose vacate',
  'open launch debut inaugurate unveil enter start begin',
  'raise secure bag get fund funding fundraise mop net pick investment invest infusion round cheque money',
  'money crore lakh million rs',
  'buy acquire acquisition purchase takeover snap bought buyout',
  'appoint appointment hire join name onboard rope elevate promote head lead succeed',
  'resign quit leave exit step depart departure',
  'ceo chief executive boss',
  'cfo finance financial',
  'cmo marketing',
  'cto technology',
  'coo operating operations',
  'chro human people hr',
  'profit earning earn income pat',
  'revenue sale turnover topline business',
  'price pricing cost costlier expensive hike',
  'rule regulation regulator law order norm policy mandatory',
  'fine penalty penalise',
  'court lawsuit case legal dispute trademark',
  'deliver delivery',
  'partner partnership tie collaborate collaboration team alliance',
  'ipo listing list public',
  'merge merger union',
  'ambassador face sign',
  'jewellery jeweller jewelry gold diamond',
  'beauty cosmetic makeup skincare',
  'footwear shoe sneaker',
  'grocery food supermarket',
  'phone smartphone mobile',
  'pet dog cat',
  'sell sold sale seller offload divest stake',
  'cut lower reduce slash cheaper',
  'build plant factory facility unit',
  'warehouse logistics distribution hub',
  'lose suspend cancel revoke cost',
  'slow slower slowdown pause',
  'network count tally total',
  'clear approve nod allow permit',
  'grow rise jump climb increase gain surge',
  'fall drop slip decline shrink dip',
].map((group) => group.split(' ').map(stem));

const groupOf = new Map<string, number[]>();
for (const [index, group] of GROUPS.entries())
  for (const word of group) groupOf.set(word, [...(groupOf.get(word) ?? []), index]);

/** A word that carries meaning. */
const isFull = (word: string): boolean => !EMPTY.has(word) && (word.length > 1 || /\d/.test(word));

/** The stems that meet a word: its own and those of words that say the same. */
function meeting(word: string): ReadonlySet<string> {
  const own = stem(word);
  return new Set([own, ...(groupOf.get(own) ?? []).flatMap((index) => GROUPS[index] ?? [])]);
}

const WORD = /[\p{L}\p{N}]+/gu;

/** The stems of a text. */
export const stemsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [
      ...text
        .normalize('NFKD')
        .replace(/[\u0300-\u036f'’]/g, '')
        .toLowerCase()
        .matchAll(WORD),
    ].map(([word]) => stem(word)),
  );

/** Whether a text meets a word, by itself or by one that says the same. */
export function meets(stems: ReadonlySet<string>, word: string): boolean {
  for (const one of meeting(word)) if (stems.has(one)) return true;
  return false;
}

export interface Question extends Subject {
  readonly text: string;
  readonly period: Period | null;
  readonly moves: readonly Move[];
  readonly intent: Intent;
  /** Words that none of the above understood, folded; evidence has to meet them. */
  readonly rest: readonly string[];
  /** Runs of capitalised words that nothing knows: perhaps a name that only the record has. */
  readonly unknown: readonly Named[];
}

interface Place {
  readonly start: number;
  readonly end: number;
}
const inside = (place: Place, { start, end }: Place): boolean => place.start < end && start < place.end;

/**
 * Reads a question. Pure.
 * @param known names found in the record, in addition to those of the catalogue
 */
export function readQuestion(
  text: string,
  catalogue: PreparedCatalogue,
  now: Date,
  known: readonly (Named & { readonly type: 'brand' | 'city' | 'theme' })[] = [],
): Question {
  const period = readPeriod(text, now);
  const listed = readSubject(text, catalogue);
  // A name of several words that the record has is surer than a shorter one inside it.
  const free = (span: Named): boolean =>
    !known.some((other) => inside(span, other) && other.end - other.start > span.end - span.start);
  const of = (type: 'brand' | 'city' | 'theme', own: readonly Named[]): Named[] => {
    const kept = own.filter(free);
    const added = known.filter((one) => one.type === type && ![...kept].some((span) => inside(span, one)));
    return [...kept, ...added].filter(({ slug }, at, all) => all.findIndex((one) => one.slug === slug) === at);
  };
  const subject: Subject = {
    brands: of('brand', listed.brands).map(toNamedBrand),
    cities: of('city', listed.cities),
    themes: of('theme', listed.themes),
    categories: listed.categories.filter(free),
  };
  const names = [...subject.brands, ...subject.cities, ...subject.themes, ...subject.categories];
  const taken: Place[] = [...names, ...(period ? [period] : [])];
  const words = moveWords(text).filter((word) => !taken.some((place) => inside(word, place)));
  const { tokens } = tokenise(text);
  const left = tokens.filter((token) => !taken.some((place) => inside(token, place)));
  const rest = left
    .filter((token) => isFull(token.fold) && !words.some((word) => inside(token, word)))
    .map(({ fold }) => fold);
  return {
    text,
    ...subject,
    period,
    moves: MOVES.filter((move) => words.some((word) => word.move === move)),
    intent: readIntent(text),
    rest: [...new Set(rest)],
    unknown: unknownNames(
      text,
      left.filter((token) => !words.some((word) => inside(token, word))),
    ),
  };
}

function unknownNames(text: string, tokens: readonly ReturnType<typeof tokenise>['tokens'][number][]): Named[] {
  const runs: { start: number; end: number; last: number }[] = [];
  for (const token of tokens) {
    // The first word of a question has its capital from its place.
    if (!isFull(token.fold) || (!token.capital && !/^\p{Ll}{4,}$/u.test(token.text))) continue;
    const run = runs.at(-1);
    if (run && token.capital && token.index === run.last + 1) Object.assign(run, { end: token.end, last: token.index });
    else runs.push({ start: token.start, end: token.end, last: token.index });
  }
  return runs.map(({ start, end }) => ({ slug: '', name: text.slice(start, end), start, end }));
}

const BEGINS = /^\s*(?:and|also|what about|how about|what of|ok(?:ay)?[, ]|then|now|only|just)\b/i;
const REFERS = /\b(?:it|its|they|them|their|theirs|he|she|this|that|those|these|there|the same|same)\b/i;
/** A question of its own names what it is about and what it wants. */
const SHORT = 5;

const isFollowUp = ({ text, brands, moves, intent, themes, categories }: Question): boolean => {
  if (BEGINS.test(text)) return true;
  const named = brands.length + themes.length + categories.length > 0;
  if (!named && REFERS.test(text)) return true;
  const wants = moves.length > 0 || intent.measure !== null || intent.metric !== null || intent.person !== null;
  return text.trim().split(/\s+/).length <= SHORT && !(named && wants) && (!named || !wants);
};

/** Completes a follow-up with what it leaves out, from the question before it. Any other question is returned as it is. */
export function inLightOf(before: Question | null, question: Question): Question {
  if (!before || question.intent.outside || !isFollowUp(question)) return question;
  const subject = question.brands.length + question.themes.length + question.categories.length > 0;
  const wants =
    question.intent.measure !== null ||
    question.intent.metric !== null ||
    question.intent.person !== null ||
    question.moves.length > 0;
  const about = subject ? question : before;
  const asks = wants ? question : before;
  return {
    ...question,
    text: wants ? question.text : `${before.text} ${question.text}`,
    brands: about.brands,
    themes: about.themes,
    categories: about.categories,
    cities: question.cities.length > 0 ? question.cities : before.cities,
    period: question.period ?? before.period,
    moves: asks.moves,
    intent: wants ? question.intent : { ...before.intent, outside: false },
    rest: question.rest.length > 0 || wants ? question.rest : before.rest,
    unknown: question.unknown,
  };
}
