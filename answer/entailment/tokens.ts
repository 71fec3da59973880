/** A text in one uniform form for comparison: figures, periods and set phrases as single tokens. */
import { monthNumber } from '../../language/days.ts';
import { findFigures } from '../../language/figures.ts';
import { NUMBER_WORDS, scaleOf } from '../../language/numbers.ts';
import { VERBS } from './words.ts';

export interface Token {
  readonly kind: 'word' | 'figure' | 'time' | 'mark';
  /** A word in lower case; the key of a figure (`INR:2300000000`) or of a time (`fy:27`); a punctuation mark. */
  readonly low: string;
  /** Begins with a capital letter. */
  readonly capital: boolean;
  /** A possessive: `Kiri Foods'`. */
  readonly owner: boolean;
  /** Joined to the word before by a hyphen: `a bank-backed chain`. */
  readonly joined: boolean;
}

const MONTH =
  'Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?';
const monthOf = (name: string): string => `§mon:${monthNumber(name)}§`;
const fiscal = (year: string): string => ` §fy:${year.slice(-2)}§ `;

type Rule = readonly [RegExp, string | ((...groups: string[]) => string)];

/** Contractions are written out, so that every negation is the word `not`. */
const CONTRACTIONS: readonly Rule[] = [
  [/[’‘`´]/g, "'"],
  [/\bcan't\b|\bcannot\b/gi, 'can not'],
  [/\bwon't\b/gi, 'will not'],
  [/\bshan't\b/gi, 'shall not'],
  [/n't\b/gi, ' not'],
  [/\b(it|he|she|that|there|who)'s\b/gi, '$1 is'],
  [/'ve\b/gi, ' have'],
  [/'ll\b/gi, ' will'],
  [/'re\b/gi, ' are'],
];

const TIMES: readonly Rule[] = [
  [/\b(?:the )?(?:first|april[-–]june|june)[- ]quarter\b|\bquarter (?:ended|ending|to) (?:in )?june\b/gi, ' §q:1§ '],
  [/\b(?:the )?(?:second|july[-–]september|september)[- ]quarter\b/gi, ' §q:2§ '],
  [/\b(?:the )?(?:third|october[-–]december|december)[- ]quarter\b/gi, ' §q:3§ '],
  [/\b(?:the )?(?:fourth|january[-–]march|march)[- ]quarter\b/gi, ' §q:4§ '],
  [/\bQ([1-4])(?=\b|fy)/gi, ' §q:$1§ '],
  [/\b(?:H([12]))\b/g, ' §h:$1§ '],
  [/\b(first|second) half\b/gi, (_, which = '') => ` §h:${which.toLowerCase() === 'first' ? 1 : 2}§ `],
  [/\b(?:fy|fiscal(?: year)?|financial year)\s?'?(?:20)?\d\d[-–]((?:20)?\d\d)\b/gi, (_, year = '') => fiscal(year)],
  [/\b20\d\d[-–](\d\d)\b/g, (_, year = '') => fiscal(year)],
  [/\b(?:fy|fiscal(?: year)?|financial year)\s?'?((?:20)?\d\d)\b/gi, (_, year = '') => fiscal(year)],
  [
    /\byear[- ]on[- ]year\b|\by-o-y\b|\byoy\b|\b(?:a year|one year|the year) (?:ago|earlier|before)\b|\byear-ago\b/gi,
    ' §ago:year§ ',
  ],
  [
    /\bquarter[- ]on[- ]quarter\b|\bq-o-q\b|\bqoq\b|\bsequentially\b|\ba quarter (?:ago|earlier)\b/gi,
    ' §ago:quarter§ ',
  ],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${MONTH})\\b\\.?`, 'g'),
    (_, day = '', month = '') => ` §day:${Number(day)}§ ${monthOf(month)} `,
  ],
  [
    new RegExp(`\\b(${MONTH})\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b(?! (?:stores|outlets|%))`, 'g'),
    (_, month = '', day = '') => ` ${monthOf(month)} §day:${Number(day)}§ `,
  ],
  [/\bMay(?= (?:19|20)\d\d)|(?<=\b(?:in|by|since|until|from|last|next|before|after|of) )May\b/g, ' §mon:5§ '],
  [new RegExp(`\\b(?!May\\b)(${MONTH})\\b`, 'g'), (_, month = '') => ` ${monthOf(month)} `],
  [
    /(?<![₹$€£\d,.]\s?|\brs\.?\s?)\b((?:19|20)\d\d)\b(?!-|[,.]\d|\s?(?:crores?|cr|lakhs?|million|mn|billion|bn|stores|outlets|%))/gi,
    ' §yr:$1§ ',
  ],
];

/** Phrases that mean one word, or that are written as one word in the form of a statement. */
const PHRASES: readonly Rule[] = [
  [/\bchief executive(?: officer)?\b/gi, 'CEO'],
  [/\bchief financial officer\b|\bfinance (?:chief|head)\b|\bchief finance officer\b/gi, 'CFO'],
  [/\bchief operating officer\b/gi, 'COO'],
  [/\bchief marketing officer\b/gi, 'CMO'],
  [/\bchief technology officer\b/gi, 'CTO'],
  [/\bmanaging director\b/gi, 'MD'],
  [/\bchair(?:man|person|woman)\b/gi, 'chair'],
  [/\bco-?founder/gi, 'cofounder'],
  [/\binitial public offering(s)?\b/gi, 'IPO$1'],
  [/^To ((?!(?:may|might|could|can|not|never|is|be|allegedly)\b)[^,]{3,60}), (.+?)\.?$/, '$2 to $1'],
  [/\bfollowing (?=(?:an? |the |its |[a-z]+ )+[a-z])/g, 'after '],
  [/\beven as\b/gi, 'while'],
  [/\bper (?=(?:litre|kg|kilo|gram|share|unit|month|order)\b)/gi, 'a '],
  [/\b(\d[\d,]*)[- ](store|outlet|cafe|city)[- ]mark\b/gi, '$1 $2s'],
  [/\blet(?:s|ting)? go of\b/gi, 'laid off'],
  [/\b(?:is|are) to (?=be\b|[a-z]+ )/g, 'will '],
  [/\b(plans?|planned|is planning|are planning) (?:an? )?investment of\b/gi, 'plans to invest'],
  [
    /\b(?:signs?|signed|ropes in|roped in) ([^.,;]{2,40}?) as (?=(?:its |the )?(?:\w+ )?ambassador\b)/gi,
    'appointed $1 as ',
  ],
  [/\bis (?:now )?(?:the |its )?new (?=(?:brand )?ambassador\b)/g, 'became '],
  [/\bnet (?=(?:profit|loss)\b)/gi, ''],
  [/\b(?:has )?sets? (?:an? |its )?((?:revenue|sales|profit) )?target of\b/gi, (_, what = '') => `targets ${what}of`],
  [/\bsign(?:s|ed) (?:an? )?lease (?:for|of|on)\b/gi, 'leased'],
  [/\bsign(?:s|ed) (?:an? )?([^.;]{3,30}?) lease (?=at|in)/gi, 'leased $1 '],
  [/\b([A-Z]\w+(?: [A-Z]\w+){0,2})-backed ([A-Z]\w+(?: [A-Z]\w+){0,2})(?= )/g, '$2, backed by $1,'],
  [/\bis (?:now )?(?:the |its )?new (?=(?:CEO|CFO|COO|CMO|CTO|MD|chair|president|director|head)\b)/g, 'became '],
  [/\b(?:puts?|pours?|poured|pumps?|pumped) (?=[^.;]{1,40}? into\b)/gi, 'invest '],
  [
    /\b(?:(?:has|have) )?(?:enter(?:s|ed)?(?: into)?|form(?:s|ed)?|sign(?:s|ed)?|str(?:ikes?|uck)|announce[sd]?) (?:an? )?(?:\w+ )?(?:partnership|tie-up|collaboration|alliance) with\b/gi,
    'partnered with',
  ],
  [/\bhas (?=(?:an? )?\S*\bin talks\b)/gi, ''],
  [
    /\b(?:is |are |was |were )?(?:in|holding|enters?|entered|begins?|began) (?:advanced |early |final )?(?:talks|discussions|negotiations)(?: (?:to|for|over|with|about))?\b/gi,
    ' talks-of ',
  ],
  [/\b(?:expected|likely|slated|tipped) to\b/gi, ' expected-to '],
  [/\b(?:set|scheduled|going|about|poised|looking|ready|on track|on course|gearing up|looks|look) to\b/gi, ' will '],
  [
    /\b(?:agreed|agrees|has agreed) to\b|\bsign(?:s|ed)? (?:an? )?(?:\w+ )?(?:agreement|deal|pact) to(?= (?:acquire|buy|sell|purchase|merge|take)\b)/gi,
    ' agreed-to ',
  ],
  [/\bc(?:o|a)mes? in at\b/gi, 'stood at'],
  [/\bno longer\b|\bnever\b|\byet to\b|\bneither\b|\bnor\b|\bwithout\b/gi, ' not '],
  [/\bruled out\b|\brules out\b/gi, 'denies'],
  [/\bstep(?:s|ped|ping)? (?:down|aside)\b/gi, 'resigned'],
  [/\btak(?:e|es|en|ing) over as\b|\btook over as\b/gi, 'became'],
  [
    /\b(tak(?:e|es|ing|en)|took|set(?:s|ting)?|roll(?:s|ed|ing)?|lay(?:s|ing)?|laid|b(?:uys?|ought)) (over|up|out|off)\b/gi,
    (_, verb = '', particle = '') => `${verb}-${particle}`,
  ],
  [/\bshut(s|ting)? down\b/gi, 'shut$1'],
  [/\b(?:rop(?:es|ed|e) in|brings? (?:in|on board)|brought (?:in|on board))\b/gi, 'hired'],
  [/\b(?:foray|venture)s? into\b/gi, 'enter'],
  [/\b(?:foray|ventur)ed into\b/gi, 'entered'],
  [/\b(aim(?:s|ing|ed)?) (?:for|at)\b/gi, 'target'],
  [/\bmop(s|ped)? up\b/gi, 'raised'],
  [/\b(?:joins|join|joined) (?:forces|hands)(?= with)/gi, 'partnered'],
  [/\bsnap(?:s|ped)? up\b|\bpick(?:s|ed) up\b/gi, 'bought'],
  [/\b(?:ties|teams) up\b/gi, 'partners'],
  [/\b(?:tie|team) up\b/gi, 'partner'],
  [/\b(?:tied|teamed) up\b/gi, 'partnered'],
  [/\b(?:because|owing|thanks|due) (?:of|to)\b|\bon account of\b|\bon the back of\b/gi, ' due-to '],
  [/\bas well as\b|\balong with\b|\btogether with\b|&/gi, 'and'],
  [/\b(?:compared (?:to|with)|versus|vs\.?)(?= )/gi, 'against'],
  [/\baccording to\b/gi, ' according-to '],
  [/\bproposed to\b/gi, 'plans to'],
];

/** Words by which a number is a bound or an estimate; they may neither be added nor left out. */
const HEDGES: readonly (readonly [string, string])[] = [
  ['over', 'over|more than|above|in excess of|upwards of|at least|a minimum of'],
  ['under', 'under|less than|fewer than|below|up to|as much as|as many as|at most'],
  ['about', 'about|around|nearly|almost|close to|approximately|roughly|some'],
];

/** `saw its profit climb 8%` says that its profit climbed. */
const PASTS: Readonly<Record<string, string>> = {
  rise: 'rose',
  grow: 'grew',
  fall: 'fell',
  shrink: 'shrank',
  climb: 'climbed',
  jump: 'jumped',
  drop: 'dropped',
  decline: 'declined',
  surge: 'surged',
  increase: 'increased',
  widen: 'widened',
  narrow: 'narrowed',
  double: 'doubled',
  triple: 'tripled',
  slip: 'slipped',
  dip: 'dipped',
  soar: 'soared',
};
const SAW = new RegExp(
  `(?<!not |never )\\b(?:has seen|saw|sees) (?:its|their) ([^,.;]{1,40}?) (${Object.keys(PASTS).join('|')})\\b(?! in\\b)`,
  'gi',
);
const withChanges = (text: string): string =>
  text
    .replace(SAW, (_, what: string, verb: string) => `'s ${what} ${PASTS[verb.toLowerCase()]}`)
    .replace(/ 's /g, "'s ");

/** `A gets SEBI nod for its IPO`, `SEBI gives its nod to A's IPO`: SEBI approves the IPO of A. */
const GETS = '(?:gets|got|receives|received|secures|secured|wins|won|obtains|obtained)';
const NOD = '(?:nod|approval|clearance|go-ahead)';
/** What is not, or not yet, or only said to be got is no approval. */
const PLAINLY =
  '(?!.*\\b(?:not|never|no|yet|if|unless|until|without|den(?:y|ies|ied)|fail(?:s|ed)?|sa(?:ys|id)|hopes?|expects?|may|to)\\b.*\\b(?:nod|approval|clearance|go-ahead))';
const APPROVALS: readonly Rule[] = [
  [
    new RegExp(
      `^${PLAINLY}(.{2,60}?) (?:has |have )?${GETS} (?:an? |the |its )?([A-Z][\\w ]{1,40}?) ${NOD} for (?:its |an? |the )?`,
    ),
    "$2 approved $1's ",
  ],
  [
    new RegExp(
      `^${PLAINLY}(.{2,60}?) (?:has |have )?${GETS} (?:an? |the |its )?${NOD} from (?:the )?([A-Z][\\w ]{1,40}?) for (?:its |an? |the )?`,
    ),
    "$2 approved $1's ",
  ],
  [new RegExp(`\\b(?:gives|gave|has given) (?:its |an? |the )?${NOD} (?:to|for) `), 'approved '],
  [/\b(?:makes|made|has made) (?:its|their) ([A-Z]\w+) debut\b/g, 'entered $1'],
];

/** Who knows of talks is not named: that they are reported says no more than that they are talks. */
const TALKS = /\b(?:talks|discussions|negotiations)\b/i;
const HEARSAY =
  /[,:;]?\s*\b(?:according to|as per|citing) (?:an? |the )?(?:media |news )?(?:reports?|sources)\b|:\s*(?:reports?|sources)\s*$|\breportedly\s/gim;

const applied = (text: string, rules: readonly Rule[]): string =>
  rules.reduce(
    (done, [form, to]) => (typeof to === 'string' ? done.replace(form, to) : done.replace(form, to as never)),
    text,
  );

/** Figures with a unit become tokens; a plain number is read afterwards, with the noun that it counts. */
function withFigures(text: string): string {
  const points = text
    .replace(/(\d+(?:\.\d+)?)\s?(?:percentage points?|pps?|ppts?)\b/gi, ' ¤pts:$1¤ ')
    .replace(/(\d[\d,.]*\s?(?:million|billion|crore|lakh|mn|bn))\s(?:us )?dollars?\b/gi, '$$$1')
    .replace(/(\d[\d,.]*\s?(?:million|billion|crore|lakh|mn|bn))\srupees\b/gi, '₹$1');
  let done = '';
  let at = 0;
  for (const { kind, unit, value, high, start, end } of findFigures(points)) {
    if (kind === 'count' || kind === 'ordinal' || start < at || /^[a-z]/i.test(points.slice(start, start + 3).trim()))
      if (kind !== 'money' && kind !== 'percent') continue;
    const name = { money: unit, percent: 'pct', bps: 'pts', multiple: 'times', count: '', ordinal: '' }[kind];
    const of = (number: number): number => Number((kind === 'bps' ? number / 100 : number).toPrecision(9));
    const tail = /-$/.test(points.slice(start, end)) ? ' ' : '';
    done += `${points.slice(at, start)} ¤${name}:${of(value)}${high === value ? '' : `-${of(high)}`}¤ ${tail}`;
    at = end;
  }
  return done + points.slice(at);
}

const tens =
  /\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ](one|two|three|four|five|six|seven|eight|nine)\b/gi;
const scaled = new RegExp(`\\b(${Object.keys(NUMBER_WORDS).join('|')}) (lakh|crore|million|billion|thousand)\\b`, 'gi');
const wordNumber = new RegExp(`(?<![\\w§¤:])(${Object.keys(NUMBER_WORDS).join('|')})(?![\\w§¤])(?! of\\b)`, 'gi');

const withNumbers = (text: string): string =>
  text
    .split(/([§¤][^§¤]*[§¤])/)
    .map((piece) =>
      /^[§¤]/.test(piece)
        ? piece
        : piece
            .replace(/(?<![\p{L}\d])(\d+)(?:st|nd|rd|th)\b/giu, ' ¤ord:$1¤ ')
            .replace(
              /(?<![\p{L}\d:])(\d+(?:,\d{2,3})*(?:\.\d+)?)(?:\s?(lakh|crore|cr|million|mn|billion|bn|thousand|k)\b)?(\+?)/giu,
              (_, digits: string, scale: string | undefined, plus: string) =>
                ` ${plus ? '¤over:' : '¤'}n:${Number(digits.replaceAll(',', '')) * scaleOf(scale)[0]}¤ `,
            )
            .replace(scaled, (_, word: string, scale: string) => {
              const value = (NUMBER_WORDS[word.toLowerCase()] ?? 0) * scaleOf(scale)[0];
              return ` ¤n:${value}¤ `;
            })
            .replace(tens, (_, ten: string, one: string) => {
              const value = (NUMBER_WORDS[ten.toLowerCase()] ?? 0) + (NUMBER_WORDS[one.toLowerCase()] ?? 0);
              return ` ¤n:${value}¤ `;
            })
            .replace(wordNumber, (_, word: string) => ` ¤n:${NUMBER_WORDS[word.toLowerCase()]}¤ `),
    )
    .join('');

const hedged = (text: string): string =>
  HEDGES.reduce(
    (done, [name, words]) =>
      done.replace(
        new RegExp(
          `\\b(?:${words})\\s+(?:an? )?¤(?!(?:over|under|about):)(?!n:[\\d.]+¤\\s+(?:years?|months?|weeks?|days?|decades?)\\b)`,
          'gi',
        ),
        `¤${name}:`,
      ),
    text,
  );

/** A text in the uniform form: figures between `¤`, times between `§`. */
export function normalise(text: string): string {
  const clean = text.normalize('NFC').replace(/[§¤]/g, ' ').replace(/[“”"]/g, ' ');
  const plain = TALKS.test(clean) ? clean.replace(HEARSAY, ' ') : clean;
  const times = applied(withChanges(applied(applied(plain, CONTRACTIONS), APPROVALS)), TIMES);
  return hedged(withNumbers(applied(withFigures(times), PHRASES)));
}

const LEX = /§[^§]*§|¤[^¤]*¤|[\p{L}\p{M}\p{N}]+(?:[.'&-][\p{L}\p{M}\p{N}]+)*'?|[,:()–—]|\s-\s/gu;

/** The tokens of a text in the uniform form. */
export function tokensOf(text: string): Token[] {
  return [...text.matchAll(LEX)].flatMap(([found]): Token[] => {
    const plain = { capital: false, owner: false, joined: false };
    if (found.startsWith('¤')) return [{ kind: 'figure', low: found.slice(1, -1), ...plain }];
    if (found.startsWith('§')) return [{ kind: 'time', low: found.slice(1, -1), ...plain }];
    if (!/[\p{L}\p{N}]/u.test(found)) return [{ kind: 'mark', low: found.trim(), ...plain }];
    const owner = /'s?$/i.test(found);
    const word = found.replace(/'s?$/i, '').replace(/'/g, '');
    const whole = VERBS.has(word.toLowerCase()) || /-(?:to|of)$/.test(word);
    const parts = whole ? [word] : word.split('-').filter(Boolean);
    return parts.flatMap((part, index): Token[] => {
      const capital = /^\p{Lu}/u.test(part);
      const low = part.toLowerCase();
      const token: Token = {
        kind: 'word',
        low,
        capital,
        owner: owner && index === parts.length - 1,
        joined: index > 0,
      };
      // `the Zolo Mart-Rasa Snacks merger`: of the one and the other.
      const joins = capital && /^\p{Lu}\p{Ll}/u.test(parts[index + 1] ?? '') && /^\p{Lu}\p{Ll}/u.test(part);
      return joins ? [token, { kind: 'word', low: 'and', ...plain }] : [token];
    });
  });
}

interface Sentence {
  readonly text: string;
  /** Where it is in the text. */
  readonly start: number;
  readonly end: number;
}

const ENDS = /\n|;\s|(?<=[^\s.][.!?])\s+(?=[\p{Lu}₹$“"'¤§\d])/gu;

/** Sentences of a text: its lines, and what a full stop or a semicolon ends. */
export function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  for (const { at, next } of [
    ...[...text.matchAll(ENDS)].map(({ index, 0: { length } }) => ({ at: index, next: index + length })),
    { at: text.length, next: text.length },
  ]) {
    if (text.slice(start, at).trim() !== '') sentences.push({ text: text.slice(start, at), start, end: at });
    start = next;
  }
  return sentences;
}
