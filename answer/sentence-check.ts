/**
 * What code can say of a sentence and of the words that it rests on: whether its figures, periods, names, seats, direction,
 * negation and stage are theirs. It refuses only what it is certain of; who does what to whom, and whether the whole follows,
 * is for a judge.
 */

import { monthNumber } from '../language/days.ts';
import { findFigures } from '../language/figures.ts';
import { fiscalYear } from '../language/fiscal.ts';
import { NUMBER_WORDS, scaleOf } from '../language/numbers.ts';
import { isCommon, stem } from '../language/words.ts';

/** Words of a report that a sentence rests on, and what else is certain of that report. */
export interface Support {
  readonly words: string;
  /** The title of the report: words of its summary say "the company" of what the title names. */
  readonly title: string;
  /** Its IST day, `YYYY-MM-DD`. */
  readonly day: string;
  readonly outlet: string | null;
}

/** What is wrong with a sentence. */
export type Doubt = 'form' | 'number' | 'date' | 'name' | 'measure' | 'direction' | 'negation' | 'stage' | 'addition';

type Rule = readonly [RegExp, string | ((...groups: string[]) => string)];
const applied = (text: string, rules: readonly Rule[]): string =>
  rules.reduce((done, [form, by]) => (typeof by === 'string' ? done.replace(form, by) : done.replace(form, by)), text);

/** One spelling of what has several. */
const SPELLINGS: readonly Rule[] = [
  [/[’‘`´]/g, "'"],
  [/[–—]/g, '-'],
  [/\u00a0/g, ' '],
  [/\b(?:can't|cannot)\b/gi, 'can not'],
  [/\bwon't\b/gi, 'will not'],
  [/n't\b/gi, ' not'],
  [/\bchief executive(?: officer)?\b/gi, 'CEO'],
  [/\bchief (?:financial|finance) officer\b|\bfinance (?:chief|head)\b/gi, 'CFO'],
  [/\bchief operating officer\b/gi, 'COO'],
  [/\bchief marketing officer\b/gi, 'CMO'],
  [/\bchief technology officer\b/gi, 'CTO'],
  [/\bchief business officer\b/gi, 'CBO'],
  [/\bchief (?:human resources?|people) officer\b/gi, 'CHRO'],
  [/\bmanaging director\b/gi, 'MD'],
  [/\b(?:senior |assistant )?vice[- ]president\b/gi, 'VP'],
  [/\bchair(?:man|person|woman)\b/gi, 'chair'],
  [/\bco-?founder/gi, 'cofounder'],
  [/\binitial public offer(?:ing)?(?=s?\b)/gi, 'IPO'],
  [/\b(?:a|one) decade\b/gi, '10 years'],
  [/\btwo decades\b/gi, '20 years'],
  [/\b(?:twelve|12) months\b(?! to| end)/gi, '1 year'],
  [
    new RegExp(`\\b(${Object.keys(NUMBER_WORDS).join('|')}) (thousand|hundred) (lakh|crore) rupees\\b`, 'gi'),
    (_, word = '', scale = '', unit = '') =>
      `₹${(NUMBER_WORDS[word.toLowerCase()] ?? 0) * (/^t/i.test(scale) ? 1_000 : 100)} ${unit}`,
  ],
  [/\btwice\b|\btwofold\b/gi, '2x'],
  [/\bthrice\b/gi, '3x'],
  [/\b(\d+(?:\.\d+)?) percentage points?\b/gi, (_, points = '') => `${Number((Number(points) * 100).toFixed(4))} bps`],
  [/\b(\d[\d.,]*) (million|billion) (?:us )?dollars\b/gi, '$$$1 $2'],
  [/\b(\d[\d.,]*) (lakh|crore) rupees\b/gi, '₹$1 $2'],
];

const MONTH =
  'Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?';
const fiscal = (year: string): string => ` §fy:${year.slice(-2)}§ `;
const QUARTERS = [
  'first|april-june|june',
  'second|july-september|september',
  'third|october-december|december',
  'fourth|january-march|march',
];

/** Periods as marks, so that no figure is read in them and all spellings are one. */
const PERIODS: readonly Rule[] = [
  ...QUARTERS.map(
    (names, index): Rule => [
      new RegExp(
        `\\b(?:${names})[- ](?:fiscal )?(?:quarter|period)\\b|\\b(?:quarter|three months) (?:ended|ending|to) (?:in )?(?:${names.split('|').at(-1)})\\b`,
        'gi',
      ),
      ` §q:${index + 1}§ `,
    ],
  ),
  ...QUARTERS.map(
    (names, index): Rule => [
      new RegExp(`\\b${(names.split('|')[1] ?? '').replace('-', '[- ](?:to )?')}\\b`, 'gi'),
      ` §q:${index + 1}§ `,
    ],
  ),
  // A quarter of the calendar year is the one before of the fiscal year.
  [/\bQ([1-4]) ?CY ?'?(?:20)?\d\d\b/gi, (_, quarter = '') => ` §q:${((Number(quarter) + 2) % 4) + 1}§ `],
  [/\bQ([1-4])(?=\b|fy)/gi, ' §q:$1§ '],
  [
    /\b(?:year|12 months|twelve months) (?:to|ended|ending)(?: in)? March (?:20)?(\d\d)\b/gi,
    (_, year = '') => fiscal(year),
  ],
  [/\bH([12])(?=\b|fy)/g, ' §h:$1§ '],
  [/\b(first|second) half\b/gi, (_, which = '') => ` §h:${which.toLowerCase() === 'first' ? 1 : 2}§ `],
  [/\b(?:fy|fiscal(?: year)?|financial year)\s?'?(?:20)?\d\d-((?:20)?\d\d)\b/gi, (_, year = '') => fiscal(year)],
  [/\b20\d\d-(\d\d)\b/g, (_, year = '') => fiscal(year)],
  [/\b(?:fy|fiscal(?: year)?|financial year)\s?'?((?:20)?\d\d)\b/gi, (_, year = '') => fiscal(year)],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${MONTH})\\b\\.?`, 'g'),
    (_, day = '', name = '') => ` §day:${Number(day)}§ §mon:${monthNumber(name)}§ `,
  ],
  [
    new RegExp(`\\b(${MONTH})\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b(?! ?(?:stores|outlets|%|cr))`, 'g'),
    (_, name = '', day = '') => ` §mon:${monthNumber(name)}§ §day:${Number(day)}§ `,
  ],
  [
    /\bMay(?= (?:19|20)\d\d)|(?<=\b(?:in|by|since|until|from|last|next|before|after|of|early|late|mid) )May\b/g,
    ' §mon:5§ ',
  ],
  [new RegExp(`\\b(?!May\\b)(${MONTH})\\b`, 'g'), (_, name = '') => ` §mon:${monthNumber(name)}§ `],
  [/\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b/g, (_, name = '') => ` §wd:${name.slice(0, 3)}§ `],
  [
    /(?<![₹$€£\d,.]\s?|\brs\.?\s?)\b((?:19|20)\d\d)\b(?!,\d|\.\d|\s?(?:crores?|cr|lakhs?|million|mn|billion|bn|stores|outlets|people|%))/gi,
    ' §yr:$1§ ',
  ],
];
const MARK = /§([a-z]+:\w+)§/g;

interface Amount {
  readonly value: number;
  /** A currency, `%`, `bps`, `x`, `#` for a place in an order, or the stem of what is counted; empty where that is open. */
  readonly unit: string;
}

const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
/** Nouns that count the same things. */
const SAME_THINGS = [
  'store outlet shop showroom boutique centre center branch location restaurant cafe door salon clinic studio',
  'employee people staff staffer worker role job',
  'city town market',
  'share unit',
].map((group) => new Set(group.split(' ').map(stem)));
const MEASURES = new Set(['INR', 'USD', 'EUR', 'GBP', '%', 'bps', 'x', '#']);
const SIGN: Readonly<Record<string, string>> = { percent: '%', bps: 'bps', multiple: 'x', ordinal: '#' };
const NUMBER =
  /(?<![\w.,])(\d+(?:,\d{2,3})*(?:\.\d+)?)\s?(lakh crores?|crores?|cr|lakhs?|million|mn|billion|bn|trillion|thousand|k)?(?![\w])/gi;
const NUMBER_WORD = new RegExp(
  `\\b(${Object.keys(NUMBER_WORDS)
    .filter((word) => word !== 'one')
    .join('|')}|dozen)\\b(?:[ -](million|lakh|crore|billion)\\b)?`,
  'gi',
);

/** The amounts of a text without periods, and the text without them. */
function amountsOf(text: string): { readonly amounts: readonly Amount[]; readonly rest: string } {
  const amounts: Amount[] = [];
  let rest = text;
  for (const { kind, unit, value, high, start, end } of findFigures(text)) {
    const of = kind === 'money' ? unit : kind === 'count' ? stem(unit) : (SIGN[kind] ?? '');
    for (const each of new Set([value, high])) amounts.push({ value: each, unit: of });
    rest = rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end);
  }
  rest = rest.replace(NUMBER, (_, number: string, scale?: string) => {
    amounts.push({ value: Number(number.replaceAll(',', '')) * scaleOf(scale)[0], unit: '' });
    return ' ';
  });
  rest = rest.replace(NUMBER_WORD, (_, word: string, scale?: string) => {
    amounts.push({ value: (NUMBER_WORDS[word.toLowerCase()] ?? 12) * scaleOf(scale)[0], unit: '' });
    return ' ';
  });
  for (const [word = ''] of rest.matchAll(/\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b/gi))
    amounts.push({ value: ORDINALS.indexOf(word.toLowerCase()) + 1, unit: '#' });
  if (/\b(?:debut|maiden)\b/i.test(rest)) amounts.push({ value: 1, unit: '#' });
  return { amounts, rest };
}

const sameUnit = (claim: string, given: string): boolean =>
  claim === given ||
  (!MEASURES.has(claim) &&
    !MEASURES.has(given) &&
    (claim === '' || given === '' || SAME_THINGS.some((group) => group.has(claim) && group.has(given))));

const sameAmount = (claim: Amount, given: Amount): boolean =>
  Math.abs(claim.value - given.value) <= 1e-9 * Math.abs(given.value) && sameUnit(claim.unit, given.unit);

/** A text read into what is compared. */
interface Read {
  readonly text: string;
  readonly periods: readonly string[];
  readonly amounts: readonly Amount[];
  /** The text without periods and amounts. */
  readonly rest: string;
}

function read(raw: string): Read {
  const text = applied(raw, SPELLINGS);
  const marked = applied(text, PERIODS);
  const periods = [...marked.matchAll(MARK)].map(([, key = '']) => key);
  const { amounts, rest } = amountsOf(marked.replace(MARK, ' '));
  return { text, periods, amounts, rest };
}

/**
 * Whether a period is one of the words, or follows from the day of the report: "on 24 July" of a report of that day, "Q1 FY27"
 * where a report of July 2026 says "Q1", "in July" where its words name no month.
 */
function hasPeriods(claim: readonly string[], given: readonly string[], days: readonly string[]): boolean {
  const kinds = new Set(given.map((key) => key.split(':')[0]));
  return claim.every((key) => {
    if (given.includes(key)) return true;
    const [kind = ''] = key.split(':');
    return days.some((day) => {
      const own = [
        `yr:${day.slice(0, 4)}`,
        `mon:${Number(day.slice(5, 7))}`,
        `day:${Number(day.slice(8))}`,
        `fy:${fiscalYear(day) % 100}`,
      ];
      // A whole date in the sentence is that of the report; a part of one, only where the words have none of its own.
      const isWhole = own.slice(1, 3).every((one) => claim.includes(one));
      return own.includes(key) && (isWhole || !kinds.has(kind));
    });
  });
}

const NAME = /\p{L}[\p{L}\p{N}&'.]*/gu;
const bare = (word: string): string =>
  word
    .replace(/'s?$|\.+$/gi, '')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
const wordsIn = (text: string): string[] => [...text.matchAll(NAME)].map(([word]) => word);
/** Words with a capital letter that name nothing. */
const NO_NAMES = new Set(
  'i ipo ofs esop d2c b2b b2c ebitda fmcg qsr gmv yoy qoq ai ceo cfo coo cmo cto cbo chro md vp gst us uk tier'.split(
    ' ',
  ),
);
const SEATS = /\b(?:CEO|CFO|COO|CMO|CTO|CBO|CHRO|MD|VP|chair|president|director|founder|cofounder)\b/gi;

/** `Indian` is said of India, `Swiggy's` of Swiggy. */
const sameName = (one: string, other: string): boolean => {
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return (
    short.length >= 4 &&
    long.length - short.length <= 3 &&
    long.startsWith(short) &&
    /^(?:n|s|ns|an|ian|ese|i)$/.test(long.slice(short.length))
  );
};

/** Initials of names in a row: `Hindustan Unilever Ltd` is HUL. */
function initials(words: readonly string[]): Set<string> {
  const all = new Set<string>();
  for (let at = 0; at < words.length; at++) {
    let letters = '';
    for (const word of words.slice(at, at + 6)) {
      if (!/^\p{Lu}/u.test(word)) break;
      letters += word[0];
      if (letters.length > 1) all.add(letters.toLowerCase());
    }
  }
  return all;
}

function hasNames(claim: Read, supports: readonly Support[]): boolean {
  const given = supports.flatMap(({ words, title, outlet }) =>
    wordsIn(applied(`${words}\n${title}\n${(outlet ?? '').replaceAll('.', ' ')}\nReport`, SPELLINGS)),
  );
  const names = new Set(given.flatMap((word) => word.split('-')).map(bare));
  const short = initials(given);
  const has = (word: string): boolean => {
    const name = bare(word);
    return NO_NAMES.has(name) || names.has(name) || short.has(name) || [...names].some((one) => sameName(one, name));
  };
  const words = wordsIn(claim.rest);
  const isName = (word: string, index: number): boolean =>
    /\p{Lu}/u.test(word) && word.length > 1 && !(index === 0 && isCommon(bare(word)));
  return words.every((word, index) => !isName(word, index) || has(word));
}

const seatsIn = (text: string): string[] => (text.match(SEATS) ?? []).map((seat) => seat.toLowerCase());
const hasSeats = (claim: Read, given: readonly string[]): boolean => {
  const seats = new Set(given.flatMap(seatsIn));
  return seatsIn(claim.text).every((seat) => seats.has(seat));
};

/** What a company reports: the words of a group mean the same. */
const REPORTED = [
  /\b(?:revenues?|turnover|sales|top ?line|topline|business|gmv|income)\b/i,
  /\b(?:profits?|pat|earnings?|income|bottom ?line)\b/i,
  /\b(?:loss(?:es)?)\b/i,
  /\bebitda\b/i,
  /\bmargins?\b/i,
  /\b(?:valuation|valued)\b/i,
];
const hasMeasures = (claim: string, given: string): boolean =>
  REPORTED.every((measure) => !measure.test(claim) || measure.test(given));

/** Words of stores that open, and of those that close. */
const OPENED_OR_CLOSED = [
  /\b(?:open\w*|launch\w*|inaugurat\w+|debut\w*|commission\w*)\b/i,
  /\b(?:clos(?:e[sd]?|ing|ures?)(?! to\b)|shut\w*)\b/i,
] as const;

/** Words of opposite directions. */
const OPPOSITES: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\b(?:r[io]s(?:e|es|en|ing)|gr(?:ow|ew|own|ows|owing|owth)|increas\w+|jump\w*|surg\w+|climb\w*|gain\w*|soar\w*|widen\w*|expand\w*|spik\w+|hik\w+|higher|up(?! to\b)|doubl\w+|tripl\w+|quadrupl\w+)\b/i,
    /\b(?:f[ae]ll(?:s|en|ing)?|drop\w*|declin\w+|slip\w*|slid\w*|slump\w*|plung\w+|dip(?:s|ped)?|shr[aiu]nk\w*|narrow\w*|reduc\w+|cuts?|cutting|lower\w*|trim\w*|decreas\w+|down|halv\w+)\b/i,
  ],
  OPENED_OR_CLOSED,
  [
    /\b(?:appoint\w*|hir(?:e[sd]?|ing)|join\w*|elevat\w+|promot\w+|onboard\w*|welcom\w+)\b/i,
    /\b(?:resign\w*|quits?|quitting|step\w* down|exit\w*|depart\w*|left|leav\w+|lost|loses)\b/i,
  ],
  [/\b(?:approv\w+|greenlight\w*|clear(?:s|ed))\b/i, /\b(?:reject\w*|den(?:y|ies|ied)|refus\w+|block\w*)\b/i],
];

/** Whether a sentence says that something opened and closed, and the words that it rests on say one of the two. */
const addsOpposite = (claim: string, given: string): boolean =>
  OPENED_OR_CLOSED.every((form) => form.test(claim)) &&
  OPENED_OR_CLOSED.filter((form) => form.test(given)).length === 1;

const turns = (claim: string, given: string): boolean =>
  addsOpposite(claim, given) ||
  OPPOSITES.some(([one, other]) => {
    const against = (here: RegExp, there: RegExp): boolean =>
      here.test(claim) && !there.test(claim) && there.test(given) && !here.test(given);
    return against(one, other) || against(other, one);
  });

const NEGATION = /\b(?:not|no|never|neither|nor|without|yet to|den(?:y|ies|ied)|rul(?:es|ed) out|refus\w+)\b/i;
/** Words that say that something does not happen, without a negation. */
const UNDONE =
  /\b(?:paus\w+|scrap\w*|halt\w*|cancel\w*|reject\w*|fail\w*|miss\w*|lack\w*|defer\w*|delay\w*|drop\w*|withdr\w+|shelv\w+|call(?:s|ed) off|stop\w*|unlikely|stuck|ban\w*)\b/i;
/** A negation and the words after it, which it denies. */
const DENIED = /\b(?:not|never|den(?:y|ies|ied)|rul(?:es|ed) out)\b((?:\W+[\w']+){1,4})/gi;

const stemsIn = (text: string): string[] =>
  wordsIn(text)
    .map((word) => stem(bare(word)))
    .filter((word) => word.length > 2 && !FILLERS.has(word));
const FILLERS = new Set(
  'the and for with from its their that this was were has have had are been will into after over than about which who'.split(
    ' ',
  ),
);

function denies(claim: string, given: string): boolean {
  // `Has not opened yet` is what a plan says too.
  if (NEGATION.test(claim))
    return !NEGATION.test(given) && !UNDONE.test(given) && !(/\byet\b/i.test(claim) && isOpen(given));
  const own = new Set(stemsIn(claim));
  return (
    !UNDONE.test(claim) &&
    [...given.matchAll(DENIED)].some(([, words = '']) => stemsIn(words).some((word) => own.has(word)))
  );
}

/** Signs that something is not done yet: it is only thought of, or it is planned. */
const TENTATIVE =
  /\b(?:consider\w*|weigh\w*|mull\w*|explor\w+|may|might|could|talks?|negotiat\w+|discuss\w*|likely|possibl[ey]|potential|propos\w+|close to|near(?:s|ing)|seek\w*|in the works|eye[sd]?|eyeing|sights|keen)\b/i;
const PLANNED =
  /\b(?:will|would|shall|plan\w*|aim\w*|target\w*|intend\w*|expect\w*|forecast\w*|anticipat\w*|want\w*|hop(?:es|ing)|goal|ambition|vision|prepar\w+|gear\w+ up|set to|ready to|slated|scheduled|poised|look\w* to|on track|upcoming|soon|going to)\b/i;
/** What is under way or decided is neither a plan nor done. */
const UNDER_WAY =
  /\b(?:bets?|tasked|decid\w+|put on hold|paus\w+|(?:is|are|be|begins?|starts?) (?:\w+ly |still |now |also )?\w+ing|is to|are to|to be)\b/i;
/** `to open` in a headline, for certain. */
const INFINITIVE =
  /\bto (?:open|launch|buy|acquire|raise|sell|invest|expand|enter|foray|list|hire|set|build|start|add|bring|take|introduce|roll|double|triple|quadruple|become|join|merge|cut|close|shut|exit|retire|file|offer|reach|cross|surpass|exceed|infuse|spend|relaunch|scale|convert|get|receive|hold|manufacture)\b/i;
/** `to hold` in a headline, perhaps. */
const MAYBE_INFINITIVE = /\bto (?!the\b|an?\b|its\b|their\b|rs\b|inr\b)[a-z]{3,}/i;
const AGREED =
  /\b(?:agree[sd]?|agreement|approv\w+|sign(?:s|ed)|greenlight\w*|clear(?:s|ed)|nod|pact|definitive|commit(?:s|ted|ment)?|wins? contract)\b/i;
const COMPLETED = /\b(?:complet\w+|finali[sz]\w+|conclud\w+|wraps? up)\b/i;
const COMPLETED_TOO = /\b(?:complet\w+|finali[sz]\w+|conclud\w+|wraps? up|clos(?:e[sd]|ing)|finish\w*)\b/i;
const HEARSAY =
  /\b(?:reportedly|alleg\w+|accus\w+|(?:said|reported|believed|rumou?red|understood) to|sources|people familiar|rumou?r\w*)\b/i;
const isPlan = (text: string): boolean => TENTATIVE.test(text) || PLANNED.test(text);
const isOpen = (text: string): boolean => isPlan(text) || UNDER_WAY.test(text) || INFINITIVE.test(text);

/** What a sign of a plan governs: the words after it, up to the end of its clause. */
const PLAN = new RegExp(
  `(?:${[TENTATIVE, PLANNED, UNDER_WAY, INFINITIVE].map(({ source }) => source).join('|')})(?:[^.;,\\n]|[.,]\\d)*`,
  'gi',
);
const ENDS = /\b(?:after|following|while|as|having)\b/i;
const contentIn = (text: string): string[] => [...stemsIn(text), ...(text.match(/\d[\d.,]*\d|\d/g) ?? [])];

/** Whether what a sentence says as done is, in the words that it rests on, mostly what is planned there. */
function isPlanned(claim: string, given: string): boolean {
  const all = new Set(contentIn(given));
  const governed = new Set([...given.matchAll(PLAN)].flatMap(([whole]) => contentIn(whole.split(ENDS)[0] ?? '')));
  const names = new Set(
    wordsIn(claim)
      .filter((word) => /\p{Lu}/u.test(word))
      .map((word) => stem(bare(word))),
  );
  const own = contentIn(claim).filter((word) => !names.has(word));
  const content = [...new Set(own)].filter((word) => all.has(word));
  const planned = content.filter((word) => governed.has(word));
  // Where what happens first is not what is planned, the plan is a purpose: `raises money to open stores`.
  const isPurpose = own[0] !== undefined && all.has(own[0]) && !governed.has(own[0]);
  return !isPurpose && planned.length > 0 && planned.length * 2 >= content.length;
}

function skipsStage(claim: string, given: string): boolean {
  if (COMPLETED.test(claim) && !COMPLETED_TOO.test(given)) return true;
  if (HEARSAY.test(given) && !HEARSAY.test(claim) && !isOpen(claim)) return true;
  if (HEARSAY.test(claim) && !/\breported\b/i.test(given) && !HEARSAY.test(given) && !TENTATIVE.test(given))
    return true;
  if (isPlan(claim)) {
    if (
      TENTATIVE.test(claim) &&
      !PLANNED.test(claim) &&
      !TENTATIVE.test(given) &&
      !HEARSAY.test(given) &&
      !isOpen(given)
    )
      return true;
    return !isOpen(given) && !MAYBE_INFINITIVE.test(given) && !AGREED.test(given);
  }
  if (AGREED.test(claim) && !AGREED.test(given) && COMPLETED.test(given)) return true;
  return !isOpen(claim) && !HEARSAY.test(claim) && !NEGATION.test(claim) && isPlanned(claim, given);
}

/** What a model may not add: each is in the words, in this form or another of its kind. */
const ADDED: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\b(?:because|due to|owing to|thanks to|as a result|led to|caused|driven by|helped by|on the back of|in response to)\b/i,
    /\b(?:because|due|owing|thanks|result\w*|led|lead\w*|caus\w+|driv\w+|help\w*|amid|after|as|on|by|from|with|following|hurt\w*|weigh\w*|squeez\w*|despite|to|in response|back)\b/i,
  ],
  [
    /\b(?:largest|biggest|highest|lowest|smallest|best|worst|fastest|slowest|strongest|weakest|most|leading|foremost|record|ever)\b/i,
    /\b(?:\w+est|most|leading|leader|record|ever|top|no\.? ?1|number one|ahead|first|after|in \d+ (?:quarters|years|months))\b/i,
  ],
  [
    /\b(?:all|every|only|entire|always|solely|exclusively|none)\b/i,
    /\b(?:all|every|each|only|entire\w*|always|sole\w*|exclusiv\w*|none|whole|total|across|just)\b|100 ?(?:%|per ?cent)/i,
  ],
  [
    /\b(?:more|less|fewer|better|worse|faster|slower|higher|lower|larger|smaller|bigger|ahead|behind|outpac\w+|unlike) (?:than|of)\b|\b(?:than|unlike|outpac\w+|overtak\w+|beat\w*)\b/i,
    /\b(?:than|against|from|over|above|up to|below|under|exceed\w*|surpass\w*|cross\w*|ahead|behind|outpac\w+|unlike|overt\w+|beat\w*|versus|vs|compar\w+|narrow\w*|widen\w*|in excess|plus|\w+er)\b|\+/i,
  ],
];
const adds = (claim: string, given: string): boolean =>
  ADDED.some(([one, other]) => one.test(claim) && !other.test(given));

const LONGEST = 500;
/** Addresses, Markdown, HTML and control characters. */
const FOREIGN =
  /https?:|www\.|\b[\w-]+\.(?:com|in|net|org|io|co|info|biz|test|example|xyz|shop|app|dev|ai)\b|@\w|mailto:|\bsig_|[[\]<>{}`*#|\\~^=_]|[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/iu;
/** `Yes: ` before an answer. */
const REPLY = /^(?:yes|no)[:,] /i;
const ADDRESSED = /\b(?:you|your)\b/;
const ADVICE =
  /\b(?:should|shouldn't|must|ought|recommend\w*|advis(?:e|es|ed|ing|able)|consider buying|worth buying|good time|please|buy now|don't miss|subscribe|click|visit|ignore)\b|\binvestors (?:can|may|will want)\b/i;
/** Every sentence is read without those before it, which may be dropped. */
const DEPENDENT =
  /^(?:it|he|she|they|this|these|those|that|such|both|the (?:company|firm|retailer|brand|startup)|(?:his|her|its|their))\b/i;

/**
 * What is certainly wrong with a sentence that rests on words of reports.
 * @returns null where nothing is: it follows, or a judge must say whether it does
 */
export function doubtOf(written: string, supports: readonly Support[]): Doubt | null {
  // Outlets whose name is an address may be named.
  const outlets = supports.flatMap(({ outlet }) => outlet ?? []);
  const sentence = outlets.reduce((text, outlet) => text.replaceAll(outlet, 'Report'), written.replace(REPLY, ''));
  // "Wow! Momo" is a name, where the report spells it so.
  const isSpelled = (word: string): boolean => supports.some((one) => `${one.title}\n${one.words}`.includes(word));
  const isStated = !/[?!]$/.test(sentence.trim()) && (sentence.match(/\S+[?!]/g) ?? []).every(isSpelled);
  const isForm = sentence.trim() !== '' && sentence.length <= LONGEST && !FOREIGN.test(sentence) && isStated;
  if (
    !isForm ||
    ADVICE.test(sentence) ||
    ADDRESSED.test(sentence) ||
    DEPENDENT.test(sentence.trim()) ||
    supports.length === 0
  )
    return 'form';
  const claim = read(sentence);
  const given = supports.map(({ words }) => read(words));
  const words = given.map(({ text }) => text).join('\n');
  const days = supports.map(({ day }) => day);
  if (
    !hasPeriods(
      claim.periods,
      given.flatMap(({ periods }) => periods),
      days,
    )
  )
    return 'date';
  const amounts = given.flatMap((one) => one.amounts);
  if (!claim.amounts.every((one) => amounts.some((other) => sameAmount(one, other)))) return 'number';
  const titles = supports.map(({ title }) => applied(title, SPELLINGS));
  if (!hasNames(claim, supports) || !hasSeats(claim, [words, ...titles])) return 'name';
  if (!hasMeasures(claim.text, [words, ...titles].join('\n'))) return 'measure';
  if (turns(claim.rest, words)) return 'direction';
  if (denies(claim.text, words)) return 'negation';
  if (skipsStage(claim.text, words)) return 'stage';
  return adds(claim.text, words) ? 'addition' : null;
}

const folded = (text: string): string =>
  (applied(text, SPELLINGS).match(/\d[\d.,]*\d|[\p{L}\p{N}₹$€£%]+/gu) ?? []).join(' ').toLowerCase();

/** Whether a sentence is a whole sentence of a report, word for word: that needs no judge. */
export const isVerbatim = (sentence: string, lines: readonly string[]): boolean =>
  lines.some((line) => folded(line) === folded(sentence));

/** Marks that models write in another form than outlets; each is one character, so that places are the same. */
const alike = (text: string): string =>
  text
    .replace(/[’‘`´]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[–—]/g, '-')
    .replace(/[\u00a0\u2009\u202f]/g, ' ');

/** Where a text has the words, byte for byte but for the form of quotation marks, dashes and spaces; the words as the text has them. */
export function wordsOf(text: string, words: string): string | null {
  const start = alike(text).indexOf(alike(words.trim()));
  return start < 0 ? null : text.slice(start, start + words.trim().length);
}
