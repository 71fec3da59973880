/** The words that statements are compared by: classes of verbs, synonyms, and what never passes without support. */

import { MOVE_VERBS } from '../../language/lexicon.ts';

/** How far a statement is asserted; none for a plain fact. */
export type Modality =
  | 'plan'
  | 'talks'
  | 'may'
  | 'alleged'
  | 'expected'
  | 'agreed'
  | 'said'
  | 'denied'
  | 'tried'
  | 'failed'
  | 'unreal'
  | 'if';

/** The form of a verb as written. */
export type Form = 'base' | 's' | 'ed' | 'ing';

export interface VerbForm {
  readonly classes: readonly string[];
  readonly form: Form;
  /** As often a noun as a verb: a verb only where its sentence has no other. */
  readonly weak?: boolean;
}

/**
 * Verbs by what they say, in their base form; the past form of an irregular one follows it (`buy/bought`). Two verbs mean
 * the same where they share a class; verbs of different classes never do, so that opposites need no list of their own.
 */
const CLASSES: Readonly<Record<string, string>> = {
  rise: 'rise/rose/risen grow/grew/grown increase climb jump surge gain soar zoom widen expand spike advance rally leap/leapt/leaped raise hike double triple',
  fall: 'fall/fell/fallen drop/dropped decline slip/slipped slide/slid slump plunge dip/dipped shrink/shrank/shrunk narrow tumble decrease plummet sink/sank contract cut/cut reduce lower halve trim/trimmed',
  open: 'open inaugurate unveil launch debut add set-up start build/built form',
  close: 'close shut/shut shutter',
  launch: 'launch introduce unveil debut release roll-out enter',
  enter: 'enter',
  buy: 'buy/bought acquire purchase take-over',
  'buy-out': 'buy-out/bought-out',
  sell: 'sell/sold offload divest',
  invest: 'invest infuse inject',
  fund: 'raise secure bag/bagged garner land snag/snagged attract',
  appoint: 'appoint name hire onboard induct designate',
  become: 'become/became',
  promote: 'promote elevate',
  join: 'join',
  leave: 'leave/left resign quit/quit exit depart',
  exit: 'exit leave/left',
  replace: 'replace succeed',
  approve: 'approve clear',
  reject: 'reject dismiss',
  win: 'win/won bag/bagged secure',
  lose: 'lose/lost',
  complete: 'complete finish conclude',
  delay: 'delay postpone defer/deferred',
  advance: 'advance',
  partner: 'partner',
  end: 'end terminate scrap/scrapped cancel halt stop/stopped suspend withdraw/withdrew/withdrawn',
  begin: 'begin/began/begun start commence',
  report: 'report post record log/logged clock register see/saw/seen deliver make/made generate',
  fine: 'fine penalise',
  file: 'file submit/submitted',
  lead: 'lead/led',
  cross: 'cross surpass exceed',
  overtake: 'overtake/overtook/overtaken outpace',
  recall: 'recall',
  layoff: 'lay-off/laid-off cut/cut',
  hire: 'hire recruit employ',
  create: 'create',
  sign: 'sign',
  have: 'operate run/ran',
  value: 'value',
  sell_goods: 'sell/sold retail',
  withhold: 'withhold/withheld',
  pay: 'pay/paid',
  receive: 'receive get/got',
  impose: 'impose levy slap/slapped',
  drive: 'drive/drove/driven boost fuel help aid lift',
  hurt: 'hurt/hurt hit/hit dent weigh',
  own: 'own',
  stand: 'stand/stood',
  cost: 'cost/cost',
  order: 'order',
  merge: 'merge combine',
  list: 'list',
  expand: 'expand',
  move: 'move shift relocate',
  renew: 'renew extend',
  sue: 'sue',
  ban: 'ban/banned bar/barred',
  probe: 'probe investigate',
  reach: 'reach hit/hit touch',
  upgrade: 'upgrade',
  downgrade: 'downgrade',
  beat: 'beat/beat/beaten outperform',
  miss: 'miss',
  settle: 'settle resolve',
  return: 'return',
  rebrand: 'rebrand rename',
  lease: 'lease rent',
  train: 'train',
  test: 'test pilot trial',
  confirm: 'confirm',
  ship: 'ship export supply/supplied',
  slow: 'slow moderate',
  urge: 'urge ask request call-on',
  back: 'back support endorse',
  cite: 'cite blame',
  defer: 'defer/deferred delay postpone',
  serve: 'serve cater',
  award: 'award grant hand',
  allow: 'allow permit/permitted let/let',
  offer: 'offer provide',
  resume: 'resume restart reopen',
  revamp: 'revamp renovate refresh overhaul remodel',
  transfer: 'transfer',
  issue: 'issue allot/allotted',
  declare: 'declare announce unveil',
  repay: 'repay/repaid prepay/prepaid',
  earn: 'earn make/made',
  spend: 'spend/spent',
  produce: 'produce manufacture make/made',
  collaborate: 'collaborate partner',
  choose: 'choose/chose/chosen select pick',
  vacate: 'vacate exit',
  seize: 'seize',
  raid: 'raid search',
  direct: 'direct order instruct',
  warn: 'warn caution',
  protest: 'protest oppose',
  demerge: 'demerge spin-off/spun-off separate',
  transform: 'transform convert',
  install: 'install deploy',
  convert: 'convert',
  license: 'license',
  stake: 'hold/held',
  commission: 'commission',
  carry: 'carry/carried charge',
  remove: 'remove sack dismiss oust fire',
  shift: 'shift move relocate',
  celebrate: 'celebrate mark',
  sponsor: 'sponsor',
  prepare: 'prepare',
  oversee: 'oversee/oversaw/overseen manage',
  win_back: 'regain reclaim',
  accept: 'accept',
  demand: 'demand',
  respond: 'respond reply',
  ease: 'ease relax loosen',
  tighten: 'tighten',
  redesign: 'redesign',
  swing: 'swing/swung turn',
  tap: 'tap/tapped',
  reopen: 'reopen',
};

/** Verbs that say how far the verb after them is asserted: `plans to open`, `denied it will close`. */
const MODAL_VERBS: Readonly<Record<Modality, string>> = {
  plan: 'plan/planned aim intend target propose eye hope want seek/sought pledge vow',
  talks: 'negotiate discuss consider explore mull weigh evaluate',
  may: '',
  alleged: 'allege accuse claim',
  expected: 'expect forecast project predict estimate anticipate',
  agreed: 'agree',
  said: 'say/said tell/told believe think/thought note call',
  denied: 'deny refute dispute',
  tried: 'try attempt',
  failed: 'fail refuse',
  // What `stops selling` says of selling.
  unreal: '',
  if: '',
};

const DOUBLED = /(?:[^aeiou][aeiou](?:[pgtb]|(?<=[^e])[dmnr]))$/;

function formsOf(entry: string): readonly (readonly [string, Form])[] {
  const [base = '', ...past] = entry.split('/');
  const [verb = '', particle] = base.split('-');
  const tail = particle ? `-${particle}` : '';
  const stem = verb.endsWith('e') ? verb.slice(0, -1) : verb;
  const s = /(?:s|x|sh|ch)$/.test(verb)
    ? `${verb}es`
    : /[^aeiou]y$/.test(verb)
      ? `${verb.slice(0, -1)}ies`
      : `${verb}s`;
  const ed = /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${stem}ed`;
  const last = verb.at(-1) ?? '';
  const ing =
    DOUBLED.test(verb) && verb.length < 6
      ? [`${verb}${last}ing`, `${stem}ing`]
      : [`${stem}ing`, ...(verb.endsWith('ye') ? [`${verb}ing`] : [])];
  return [
    [base, 'base'],
    [s + tail, 's'],
    ...(past.length > 0 ? past : [ed + tail, ...(DOUBLED.test(verb) ? [`${verb}${last}ed${tail}`] : [])]).map(
      (form): [string, Form] => [form, 'ed'],
    ),
    ...ing.map((form): [string, Form] => [form + tail, 'ing']),
  ];
}

export const MODALS: ReadonlyMap<string, { readonly modality: Modality; readonly form: Form }> = new Map(
  Object.entries(MODAL_VERBS).flatMap(([modality, entries]) =>
    entries
      .split(' ')
      .filter(Boolean)
      .flatMap(formsOf)
      .map(([word, form]) => [word, { modality: modality as Modality, form }] as const),
  ),
);

/** Nouns that the list of verbs of moves has as well. */
const NOUNS = new Set(
  'shares stores results earnings notices parts prices markets brands plans sales talks'.split(' '),
);

/** Further verbs: each means the same only as itself. */
const FURTHER =
  'give/gave/given bring/brought keep/kept face queue stay/stayed acknowledge admit/admitted affect apply approach arrange assign attend block borrow collapse comply concede conduct ' +
  'demolish destroy digitise disburse distribute divert eliminate encourage engage evict exclude execute exempt expose fulfil/fulfilled ' +
  'include indicate involve kill locate nominate occupy opt/opted penetrate preserve prosecute protect prove/proved/proven put/put ' +
  'qualify quote ratify reinstate remit/remitted represent require reroute reserve retrain revoke save send/sent shelve ' +
  'show/showed/shown specialise spur/spurred strip/stripped subsidise suggest sweep/swept treat veto worsen';

/** Past forms of verbs of moves that are not made by rule. */
const IRREGULAR = new Map(
  (
    'take/took/taken give/gave/given bring/brought hold/held keep/kept break/broke/broken come/came draw/drew/drawn ' +
    'fight/fought find/found freeze/froze/frozen meet/met ride/rode/ridden split/split spread/spread strike/struck ' +
    'write/wrote/written stick/stuck feed/fed forgo/forwent/forgone shed/shed bid/bid'
  )
    .split(' ')
    .map((entry): [string, string] => [entry.split('/')[0] ?? '', entry]),
);

/** Forms of verbs; a form that is base and past (`cut`) is taken for the past. */
export const VERBS: ReadonlyMap<string, VerbForm> = (() => {
  const found = new Map<string, VerbForm>();
  for (const [name, entries] of Object.entries(CLASSES))
    for (const entry of entries.split(' '))
      for (const [word, form] of formsOf(entry))
        found.set(word, { classes: [...(found.get(word)?.classes ?? []), name], form });
  // Every other verb of moves is a class of its own: it means the same only as itself.
  for (const third of MOVE_VERBS) {
    if (third.length < 5 || !third.endsWith('s') || found.has(third) || MODALS.has(third) || NOUNS.has(third)) continue;
    const base = third.endsWith('ies')
      ? `${third.slice(0, -3)}y`
      : third.slice(0, /(?:sh|ch|x|ss|zz)es$/.test(third) ? -2 : -1);
    for (const [word, form] of formsOf(IRREGULAR.get(base) ?? base))
      if (!found.has(word) && !MODALS.has(word))
        found.set(word, { classes: [base], form, weak: form === 'base' || form === 's' });
  }
  for (const entry of FURTHER.split(' '))
    for (const [word, form] of formsOf(entry))
      if (!found.has(word) && !MODALS.has(word)) found.set(word, { classes: [entry.split('/')[0] ?? entry], form });
  // Nouns far more often than verbs in this form.
  for (const noun of ['issue', 'order', 'stake', 'fine', 'lease', 'award', 'cost', 'offer', 'demand'])
    found.delete(noun);
  return found;
})();

/** Past forms that are no participles: `fell`, `took`. A verb wherever they are. */
export const FINITE: ReadonlySet<string> = new Set(
  [
    ...Object.values(CLASSES).flatMap((entries) => entries.split(' ')),
    ...FURTHER.split(' '),
    ...IRREGULAR.values(),
  ].flatMap((entry) => {
    const [, past, participle] = entry.split('/');
    return past && participle && past !== participle && !entry.includes('-') ? [past] : [];
  }),
);

/** Adverbs that say how something was done, and leave it done. */
export const MANNERS = new Set('jointly formally officially quietly successfully publicly'.split(' '));

/** Nouns of an event, with the class of the verb that they stand for. */
export const EVENT_NOUNS: Readonly<Record<string, string>> = {
  rise: 'rise',
  increase: 'rise',
  growth: 'rise',
  jump: 'rise',
  surge: 'rise',
  gain: 'rise',
  uptick: 'rise',
  fall: 'fall',
  drop: 'fall',
  decline: 'fall',
  decrease: 'fall',
  dip: 'fall',
  slump: 'fall',
  reduction: 'fall',
  cut: 'fall',
  hike: 'rise',
  acquisition: 'buy',
  purchase: 'buy',
  takeover: 'buy',
  investment: 'invest',
  resignation: 'leave',
  departure: 'leave',
  closure: 'close',
  appointment: 'appoint',
};

/** Metrics that, without a name next to them, are those of the company that the text is about. */
export const OWN_METRICS = new Set(
  'profit loss revenue sales income margin ebitda net gross operating consolidated standalone same store'.split(' '),
);

export const METRICS = new Set(
  'profit loss revenue sales income margin ebitda turnover volume price debt valuation footfall count share duty tax fee tariff'.split(
    ' ',
  ),
);

/** Roles in a company, after `normalise`. */
export const ROLES = new Set(
  'ceo cfo coo cmo cto md chair president director head founder cofounder chief officer promoter chairman ambassador'.split(
    ' ',
  ),
);

/** Words that say nothing by themselves. A superlative, a quantity or `only` is never among them. */
export const EMPTY = new Set(
  (
    'a an the this that these those its their his her it they he she has have had having is are was were be been being do ' +
    'does did also as and with which who whose there then when while where worth total amount said says company firm ' +
    'now recently new newly own of s year-on-year'
  ).split(' '),
);

const SYNONYMS: readonly string[] = [
  'store outlet shop',
  'plant factory',
  'profit pat bottomline',
  'revenue turnover topline',
  'employee staff staffer worker job',
  'cafe coffeehouse',
  'stake shareholding',
  'yoy year-ago',
  'warehouse godown',
  'shareholder investor-of-record',
  'fine penalty',
  'fund capital funding money',
  'due arrear',
];

const CANONICAL = new Map(
  SYNONYMS.flatMap((line) => {
    const [first = '', ...others] = line.split(' ');
    return others.map((other): [string, string] => [other, first]);
  }),
);

/** The form under which a noun or another word is compared. */
export function canonical(word: string): string {
  const low = word.toLowerCase();
  const single = /(?:ss|us|is)$/.test(low)
    ? low
    : /(?:sh|ch|x|ss)es$/.test(low)
      ? low.slice(0, -2)
      : /[^aeiou]ies$/.test(low)
        ? `${low.slice(0, -3)}y`
        : /.{2}s$/.test(low) && low !== 'sales'
          ? low.slice(0, -1)
          : low;
  return CANONICAL.get(single) ?? single;
}

/** A noun with one of these before it is not what the noun says: they may not be left out. */
export const NOT_QUITE = new Set(
  (
    'former ex acting interim proposed alleged potential would-be planned deputy vice assistant associate joint co fake ' +
    'almost partial partly possible prospective operating gross same-store like-for-like adjusted segment most pre exdistributor'
  ).split(' '),
);

/** Advice, exhortations and forms of address: no statement of the record. */
export const ADVICE =
  /\b(?:should|shouldn't|must|ought|recommend\w*|advis(?:e|es|ed|ing|able)|consider buying|worth buying|good time|you|your|we|our|us|i|let's|please|buy now|don't miss|subscribe|click|visit|see (?:more|here)|ignore)\b|\binvestors (?:can|may|will want)\b/i;

/** Addresses, Markdown, HTML and control characters. */
export const FOREIGN =
  /https?:|www\.|\b[\w-]+\.(?:com|in|net|org|io|co|info|biz|test|example|xyz|shop|app|dev|ai)\b|@\w|mailto:|\bsig_|[[\]<>{}`*#|\\~^=_]|[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/iu;
