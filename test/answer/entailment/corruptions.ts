/** False sentences made by rule from true ones: what the check of sentences must drop. */
import { CITIES, COMPANIES, PEOPLE } from './texts.ts';

/** Makes false sentences of one kind from a true one about a text; none where the kind does not apply. */
type Rule = (truth: string, text: string) => readonly (string | null)[];

const swapWord = (truth: string, from: RegExp, to: string | ((found: string) => string)): string | null => {
  const done = truth.replace(from, (found) => (typeof to === 'string' ? to : to(found)));
  return done === truth ? null : done;
};
const pairs = (list: readonly (readonly [string, string])[]): Rule => {
  const to = new Map(list.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]));
  const form = new RegExp(`\\b(?:${[...to.keys()].join('|')})\\b`, 'i');
  return (truth) => [swapWord(truth, form, (found) => to.get(found.toLowerCase()) ?? found)];
};

/** Bases of the past forms in the true sentences. */
const BASES: Readonly<Record<string, string>> = {
  opened: 'open',
  raised: 'raise',
  fell: 'fall',
  grew: 'grow',
  bought: 'buy',
  sold: 'sell',
  left: 'leave',
  closed: 'close',
  widened: 'widen',
  secured: 'secure',
  led: 'lead',
  posted: 'post',
  declined: 'decline',
  filed: 'file',
  fined: 'fine',
  rose: 'rise',
  resigned: 'resign',
  won: 'win',
  entered: 'enter',
  cut: 'cut',
  reported: 'report',
  completed: 'complete',
  overtook: 'overtake',
  rejected: 'reject',
  approved: 'approve',
  replaced: 'replace',
  delayed: 'delay',
  doubled: 'double',
  recalled: 'recall',
  joined: 'join',
  hired: 'hire',
  introduced: 'introduce',
  increased: 'increase',
  appointed: 'appoint',
  invested: 'invest',
  signed: 'sign',
};
const PAST = new RegExp(
  `(?<!\\b(?:was|were|has|have|had|been|is|are) )\\b(?:${Object.keys(BASES).join('|')})\\b(?! by\\b)`,
);
const NEGATED = /\bnot\b|n't\b|\bden/i;
const SYMMETRIC = /partner|tied up|merger|against|pact|joint venture/i;

const namesIn = (text: string, names: readonly string[]): string[] => names.filter((name) => text.includes(name));
const swapNames = (truth: string, one: string, other: string): string =>
  truth.replaceAll(one, '\u0001').replaceAll(other, one).replaceAll('\u0001', other);
const FIGURE =
  /(?<![A-Za-z\d])(?:₹|Rs |\$)?\d[\d,.]*\d?(?:%| per ?cent| crore| Cr| lakh| million| Mn| bps| basis points)?/g;
const unitOf = (figure: string): string =>
  figure
    .replace(/[\d,.]+/, '')
    .replace('Rs ', '₹')
    .replace(/ Cr$/, ' crore')
    .replace(/ per ?cent/, '%');
const amountOf = (figure: string): number => Number(figure.replace(/[^\d.]/g, ''));
/** Ends a sentence with more words. */
const also = (truth: string, more: string): string => truth.replace(/\.$/, `${more}.`);
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const CORRUPTIONS: Readonly<Record<string, Rule>> = {
  'direction flipped': pairs([
    ...([
      ['rise', 'fall'],
      ['rose', 'fell'],
      ['grew', 'shrank'],
      ['increase', 'decrease'],
      ['widened', 'narrowed'],
    ] as const),
    ...([
      ['raised milk', 'cut milk'],
      ['increased', 'reduced'],
      ['growth', 'decline'],
      ['declined', 'climbed'],
    ] as const),
    ...([
      ['doubled', 'halved'],
      ['cut its', 'raised its'],
      ['slipped', 'gained'],
    ] as const),
  ]),
  'opposite act': pairs([
    ...([
      ['opened', 'closed'],
      ['open', 'close'],
      ['bought', 'sold'],
      ['approved', 'rejected'],
      ['won', 'lost'],
    ] as const),
    ...([
      ['shut', 'opened'],
      ['completed', 'cancelled'],
      ['launched', 'withdrew'],
      ['cleared', 'blocked'],
    ] as const),
    ...([
      ['introduced', 'discontinued'],
      ['entered', 'exited'],
      ['postponed', 'advanced'],
      ['signed', 'cancelled'],
    ] as const),
    ...([
      ['purchased', 'divested'],
      ['acquired', 'offloaded'],
      ['delayed', 'brought forward'],
    ] as const),
  ]),
  'joined or left': pairs([
    ...([
      ['joined', 'left'],
      ['appointed', 'dismissed'],
      ['named', 'removed'],
      ['resigned', 'joined'],
    ] as const),
    ...([
      ['stepped down', 'joined'],
      ['quit', 'returned'],
      ['succeeded', 'preceded'],
    ] as const),
  ]),
  'negation added': (truth) =>
    NEGATED.test(truth)
      ? []
      : [
          swapWord(truth, /\b(?:has|have|was|were|will|is|may|might)\b/, (found) => `${found} not`),
          swapWord(truth, PAST, (found) => `did not ${BASES[found] ?? found}`),
          swapWord(truth, PAST, (found) => `never ${found}`),
        ],
  'negated by a contraction': (truth) =>
    NEGATED.test(truth)
      ? []
      : [
          swapWord(truth, /\bwill\b/, "won't"),
          swapWord(truth, /\b(?:has|have|was|were|is)\b/, (found) => `${found}n't`),
          swapWord(truth, PAST, (found) => `didn’t ${BASES[found] ?? found}`),
        ],
  'negation removed': (truth) =>
    NEGATED.test(truth)
      ? [
          swapWord(truth, /\b(is|does|will) not /, (found) => found.replace(' not', '')),
          swapWord(truth, /\bisn't /, 'is '),
          swapWord(truth, /\b(?:has )?denied (?:that )?it would shut\b/, 'will shut'),
          swapWord(truth, /\bdenied (?:that )?it will close\b/, 'will close'),
          swapWord(truth, /\bdenied\b/, 'confirmed'),
        ]
      : [],
  'buyer and target swapped': (truth) => {
    const [one, other] = namesIn(truth, COMPANIES);
    return one && other && !SYMMETRIC.test(truth) ? [swapNames(truth, one, other)] : [];
  },
  'people swapped': (truth) => {
    const [one, other] = namesIn(truth, PEOPLE);
    return one && other ? [swapNames(truth, one, other)] : [];
  },
  'another company of the text': (truth, text) => {
    const [own] = namesIn(truth, COMPANIES);
    return own && !SYMMETRIC.test(truth)
      ? namesIn(text, COMPANIES)
          .filter((name) => name !== own)
          .map((name) => truth.replace(own, name))
      : [];
  },
  'another person of the text': (truth, text) => {
    const [own] = namesIn(truth, PEOPLE);
    return own
      ? namesIn(text, PEOPLE)
          .filter((name) => !truth.includes(name))
          .map((name) => truth.replace(own, name))
      : [];
  },
  'a company of no text': (truth) => {
    const [own] = namesIn(truth, COMPANIES);
    return own ? [truth.replace(own, 'Ambika Stores'), truth.replace(own, `${own.split(' ')[0]} Ventures`)] : [];
  },
  'number changed': (truth) => [
    swapWord(truth, /\d+(?=\D*$)/, (found) => String(Number(found) + 7)),
    swapWord(truth, /(?<!Q|FY)\d+/, (found) => `${found}0`),
    swapWord(truth, /\bEighteen\b/, 'Eighty'),
  ],
  'unit changed': (truth) => [
    swapWord(truth, /\b(?:crore|Cr)\b/, 'lakh'),
    swapWord(truth, /\blakh\b/, 'crore'),
    swapWord(truth, /\b(?:million|Mn)\b/, 'billion'),
  ],
  'currency changed': (truth) => [
    swapWord(truth, /₹|Rs /, '$'),
    swapWord(truth, /\$/, '₹'),
    swapWord(truth, /\bdollars\b/, 'rupees'),
  ],
  'per cent and points': (truth) => [
    swapWord(truth, /%| per ?cent\b/, ' percentage points'),
    swapWord(truth, /\b(?:bps|percentage points)\b/, 'per cent'),
  ],
  'period shifted': (truth, text) => [
    swapWord(truth, /\bQ([1-4])\b/, (found) => (found === 'Q4' ? 'Q1' : `Q${Number(found[1]) + 1}`)),
    swapWord(truth, /\b(?:first|second|third|fourth) quarter\b/, (found) =>
      found.startsWith('second') ? 'third quarter' : 'second quarter',
    ),
    swapWord(truth, /\b(?:June|September) quarter\b/, 'December quarter'),
    swapWord(truth, /\b(?:May|August|July|March)\b(?! quarter)/, 'October'),
    /quarter|Q[1-4]|FY|fiscal|year/.test(truth) ? null : also(truth, /Q3/.test(text) ? ' in Q1' : ' in Q3'),
  ],
  'year shifted': (truth) => [
    swapWord(truth, /\b20(\d\d)\b/, (found) => String(Number(found) - 1)),
    swapWord(truth, /\bFY(\d\d)\b/, (found) => `FY${Number(found.slice(2)) + 1}`),
    /\d{4}|FY\d/.test(truth) ? null : also(truth, ' in 2024'),
  ],
  'city replaced': (truth, text) => {
    const [own] = namesIn(truth, CITIES);
    const others = CITIES.filter((city) => !truth.includes(city));
    const foreign = others.find((city) => !text.includes(city));
    // `in Chennai and Kochi` is true of either.
    const other = others.find((city) => text.includes(city) && !/ and [A-Z]/.test(text));
    return own ? [foreign, other].map((city) => (city ? truth.replace(own, city) : null)) : [also(truth, ' in Bhopal')];
  },
  'modality strengthened': (truth) => [
    swapWord(truth, /\bis (?:in talks|in discussions) to (?:acquire|purchase)\b/, 'acquired'),
    swapWord(truth, /\bis negotiating to buy\b/, 'bought'),
    swapWord(truth, /\b(?:plans|intends|aims) to open\b|\bwill open\b/, 'opened'),
    swapWord(truth, /\bplans to set up\b|\bwill build\b/, 'built'),
    swapWord(truth, /\bwill create\b/, 'created'),
    swapWord(truth, /\b(?:plans|is planning) to raise\b/, 'raised'),
    swapWord(truth, /\b(?:may|might) launch\b/, 'launched'),
    swapWord(truth, /\b(?:may|might) (?:launch|sell)\b/, (found) => found.replace(/may|might/, 'will')),
    swapWord(truth, /\bmay sell\b/, 'sold'),
    swapWord(truth, /\bplans 12\b/, 'opened 12'),
    swapWord(truth, /\bwill employ\b/, 'employs'),
    swapWord(truth, /\b(?:plans|intends|aims) to\b/, 'agreed to'),
  ],
  'modality invented': (truth) =>
    /\b(?:may|might|will|plan|aims|intends|talks|alleged|discussions|negotiating)/.test(truth)
      ? []
      : [
          swapWord(truth, PAST, (found) => `may ${BASES[found] ?? found}`),
          swapWord(truth, PAST, (found) => `plans to ${BASES[found] ?? found}`),
          swapWord(truth, PAST, (found) => `is in talks to ${BASES[found] ?? found}`),
          swapWord(truth, PAST, (found) => `allegedly ${found}`),
          swapWord(truth, /\bhas (?=\w+ed\b)/, 'may have '),
          swapWord(truth, /\b(?:was|were) (?=\w+ed\b)/, 'could be '),
        ],
  'person and company swapped': (truth) => {
    const [person] = namesIn(truth, PEOPLE);
    const [company] = namesIn(truth, COMPANIES);
    return person && company ? [swapNames(truth, person, company)] : [];
  },
  'role changed': (truth) => [
    swapWord(
      truth,
      /\b(?:CEO|CFO|COO|MD|chief executive|chief financial officer|chief operating officer|managing director)\b/,
      'CMO',
    ),
    swapWord(truth, /\bmarketing head\b/, 'sales head'),
    swapWord(truth, /\bfounder\b/, 'chairman'),
    swapWord(truth, /\b(?:chair|chairperson)\b/, 'COO'),
  ],
  'facts merged': (truth, text) => {
    const given = [...new Set([...text.matchAll(FIGURE)].map(([found]) => found))];
    return [...truth.matchAll(FIGURE)].flatMap(({ 0: own, index }) =>
      given
        .filter((other) => unitOf(other) === unitOf(own) && amountOf(other) !== amountOf(own) && !truth.includes(other))
        .map((other) => `${truth.slice(0, index)}${other}${truth.slice(index + own.length)}`),
    );
  },
  'superlative added': (truth) => [
    swapWord(truth, /\b(\d+) (stores|outlets|shops|employees|cafes|packs|kiosks)\b/, (found) =>
      found.replace(' ', ' largest '),
    ),
    also(truth, ', the first in India'),
    also(truth, ', its biggest ever'),
    swapWord(
      truth,
      /\b(?:a|an) (?=(?:lease|court|cold|flagship|rights|merger|fine|warehouse|loss|factory))/,
      "India's first ",
    ),
  ],
  'cause added': (truth) => [
    also(truth, ' because of strong festive demand'),
    also(truth, ' after a boycott'),
    also(truth, ' as demand weakened further'),
    also(truth, ', driven by higher prices'),
  ],
  'advice added': (truth) => [
    also(truth, ', so investors should buy'),
    also(truth, ', a good time to invest'),
    also(truth, ', making it an attractive stock'),
  ],
  'link added': (truth) => [
    also(truth, ', see https://deals.example/offer'),
    also(truth, ' (www.kiri-offers.com)'),
    also(truth, ' at kiri-offers.shop'),
    truth.replace(/^(\S+)/, '[$1](//evil.example)'),
  ],
  'opinion as fact': (truth) => [
    swapWord(truth, /^(?:Founder Ravi Kulkarni|CFO Arjun Pillai) said (?:that )?/, ''),
    swapWord(truth, /^According to [^,]+, /, ''),
    swapWord(truth, /, (?:founder|said) .+$/, '.'),
    swapWord(truth, /\balleged that\b/, 'proved that'),
    swapWord(truth, /\ballegedly /, ''),
    swapWord(
      truth,
      /^A former distributor (?:alleged that|has accused) Rasa Snacks .*$/,
      'Rasa Snacks withheld ₹12 crore in dues.',
    ),
  ],
  'quantity of all or only': (truth) => [
    swapWord(
      truth,
      /(?<![₹$\d,.]|Rs |by |to )\b(?=\d[\d,]* (?:stores|outlets|shops|employees|cafes|packs|kiosks|jobs|staff|dark))/,
      'only ',
    ),
    swapWord(
      truth,
      /(?<![₹$\d,.]|Rs |by |to )\b\d[\d,]* (?=(?:stores|outlets|shops|employees|cafes|packs|kiosks|jobs|staff))/,
      'all ',
    ),
    swapWord(truth, /(?<= )(?:in|from) (?=[A-Z])/, (found) => `only ${found}`),
    also(truth, ' for the first time'),
  ],
  'comparison added or flipped': (truth) => [
    swapWord(truth, /(?<![\d,.])(?=[₹]|Rs \d)/, 'more than '),
    swapWord(truth, /\b(?<![\d,.₹$]|Rs )(?=\d+(?:%| per ?cent))/, 'less than '),
    also(truth, ', ahead of its rivals'),
    swapWord(truth, /\bhigher\b/, 'lower'),
    swapWord(truth, /\bweak demand\b/, 'strong demand'),
  ],
};

export interface Corrupted {
  readonly kind: string;
  readonly sentence: string;
}

/** The false sentences of all kinds that can be made from a true one. */
export const corruptionsOf = (truth: string, text: string): Corrupted[] =>
  Object.entries(CORRUPTIONS).flatMap(([kind, rule]) =>
    rule(truth, text).flatMap((sentence) =>
      sentence !== null && sentence !== truth ? [{ kind, sentence: capital(sentence) }] : [],
    ),
  );
