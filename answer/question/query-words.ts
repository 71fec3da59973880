/**
 * What words of a question say by themselves: kinds of move, seats, numbers. The text is in lower case, without punctuation,
 * and its names and times are placeholders: `@b0` a brand, `@p1` a place, `@k` a category, `@t` a theme, `@m` an investor, mall
 * or outlet, `@u` an unknown name, `@d` a time.
 */
import { NUMBER_WORDS, scaleOf } from '../../language/numbers.ts';
import { COMMON_WORDS, distance } from '../../language/words.ts';
import type { Move } from '../../schemas/scalar.ts';
import type { TypedQuery } from './typed-query.ts';

const any = (...parts: readonly string[]): RegExp => new RegExp(`\\b(?:${parts.join('|')})\\b`, 'g');

/** Words of each kind of move; a word may indicate several. */
const KIND_WORDS: readonly (readonly [Move, RegExp])[] = [
  [
    'stores',
    any(
      'open(?:s|ed|ing|ings|ung)?(?! to)',
      '(?<!same )stores?|outlets?|showrooms?|shops?|doors|boutiques?|ebos?|mbos?|kiosks?',
      '(?:shut(?:s|ting|ters|tered|down)?|clos(?:e|es|ed|ing|ures?))(?! (?:(?:a|the|its|their) )?(?:\\w+ )?(?:rounds?|deals?|fund(?:ing|raise|raising)|financing|acquisition|ipo|issue|merger|sale))',
      'expan(?:d|ds|ded|ding|sion|sions)|footprint|debut(?:s|ed)?|store count|retail presence|square feet|sq ft|leas(?:e|ed|es)',
      'exit(?:s|ed|ing)? (?:the )?(?:india|market|city|@p\\d+)|(?:enter(?:s|ed|ing)?|entry|foray)(?! (?:in(?:to)? )?(?:the )?(?:\\w+ ){0,3}@[kt])|tenants?',
    ),
  ],
  [
    'deals',
    any(
      '(?<!trade )deals?|rais(?:e|es|ed|ing)(?! (?:the )?(?:@?\\w+ ){0,2}prices?)|fund(?:ing|ings|ed|raise|raises|raised|raising)|invest(?:s|ed|ing|ment|ments|or|ors)?|back(?:s|ed)|back (?=@[bum])|(?<=@[bum]\\d+ )back|backers',
      'acqui(?:re|res|red|ring|sition|sitions)|b(?:uy|uys|uying|ought|uyer|uyers|uyout|uyouts)|takeovers?|take over|takes over|taken over|took over|snap(?:s|ped)? up|(?:dump|offload|unload)(?:s|ed|ing)?|sold|sell(?:s|ing)?(?! (?:price|out))|stakes?|merg(?:e|es|ed|er|ers|ing)|ipos?|drhps?|draft (?:prospectus(?:es)?|papers)|series [a-h]|rounds?|valuation|valued|unicorns?',
      'put(?:s|ting)? (?:\\w+ )?money in(?:to)?|(?:(?:deal|purchase|sale|acquisition|buyout|takeover) prices?|prices? (?:tag )?(?:of|for|in) (?:the |its )?(?:\\S+ ){0,3}(?:deal|acquisition|buyout|takeover|purchase|stake|sale)s?|at what prices?)|m&a|m and a|mna|share(?:holders?|holding)? sales?|stake sales?|rights issue|qip|public issue|price band|share swap|jvs?|joint ventures?|divest\\w*|pe vc|private equity|venture (?:capital|debt)|vcs?|list(?:s|ed|ing) on|went public|go(?:ing)? public|block deals?|demerg\\w*|pa(?:y|id|ys|ying) (?:\\w+ ){0,3}for|prices? (?:did|does|has) (?:\\S+ ){1,3}(?:pa(?:y|id)|sell|sold|buy|bought)|owners?|owns|owned by',
    ),
  ],
  [
    'people',
    any(
      'appoint(?:s|ed|ing|ment|ments|ee)?|hir(?:e|es|ed|ing|ings)|join(?:s|ed|ing)?(?! (?:hands|forces))|resign(?:s|ed|ing|ation|ations)?|quit(?:s|ting)?|left|leav(?:e|es|ing)|step(?:s|ped|ping)? down|promot(?:ed|ion|ions)|elevat(?:ed|es|ion)|exec(?:s|utives?)?',
      'ceos?|cfos?|coos?|cmos?|ctos?|chros?|cxos?|cbos?|cpos?|c(?:i|g|r|d|s|is)os?|md|mds|c suite|chief \\w+(?: \\w+)? officers?|chief executives?|chiefs?|managing directors?|leadership|people moves?|boss|head(?:s|ed|ing)?|who (?:leads|runs)(?! (?:in |the )*@[kt])|where (?:has|did|is) @u\\d+|moved (?:to|from)|chair(?:man|person|woman)|presidents?|vice president|svp|evp|vp|directors?|named as|takes charge|took charge|took over as|takes over as|replac(?:e|es|ed|ing)|succe(?:ed|eds|eded|ssor)|predecessor|poach(?:ed|es)?|onboard(?:s|ed)?|reshuffle|churn|departures?|exits?(?! (?:the )?(?:india|market))',
    ),
  ],
  [
    'results',
    any(
      'results?|(?:business|trading|quarterly|quarter|pre quarter) updates?|(?<=@d\\d )updates?|updates? (?:for|of|on) the (?:\\w+ )?quarter|revenues?|profits?|profitab\\w+|los(?:s|ses)|los(?:e|es|ing)(?: money)?(?= (?:a|per|each|every|in|last|this|money|@d)\\b|$)|loss making|earn(?:s|ed|ings?)?|ebitda|margins?|turnover|(?<!stake |share )sales|perform(?:ed|ance|ing)?|same store|sssg|lfl|like for like|gmv|top ?lines?|bottom ?lines?|financials?|pat|net income|in the (?:red|black)|numbers|guidance|outlooks?|forecasts?|forecasted|p&l|aov',
    ),
  ],
  [
    'launches',
    any(
      '(?<!(?:store|stores|outlet|outlets) )launch(?:es|ed|ing)?(?! (?:\\w+ ){0,3}(?:stores?|outlets?|showrooms?))|products?|pric(?:e|es|ed|ing)(?! band| (?:did|does|has) (?:\\S+ ){1,3}(?:pa(?:y|id)|sell|sold|buy|bought))|collections?|unveil(?:s|ed)?|roll(?:s|ed)? out|introduc(?:e|es|ed|ing)|ambassadors?|campaigns?|sku|skus|range',
    ),
  ],
  [
    'strategy',
    any(
      'strateg(?:y|ies|ic)|partner(?:s|ed|ing|ships?)?|tie ?ups?|tied up|join(?:s|ed)? (?:hands|forces)|collab(?:s|orate|orates|orated|oration|orations)?|pilots?|restructur(?:e|es|ing)|rebrand(?:s|ed|ing)?|layoffs?|laid off|capex|licens\\w+|franchis(?:e|es|ing|ee)|pivot(?:s|ed)?|alliances?',
    ),
  ],
  [
    'rules',
    any(
      'rules?|regulat(?:e|ion|ions|or|ors|ory)|laws?|legal|(?<!food )courts?|lawsuits?|sued?|litigation|fin(?:e|ed)|fines|penalt(?:y|ies)|bans?|banned|tax(?:es)?|notices?|complian(?:ce|t)|sebi|trademark|raids?|recall(?:s|ed)?|probes?|policy|policies|fema|enforcement directorate',
    ),
  ],
];

interface Word {
  readonly start: number;
  readonly end: number;
}

/** Rounds by their letters, `series-b` and `pre-series-a`, as one word each: the letter alone says nothing. */
export const roundsIn = (text: string): string[] =>
  [...text.matchAll(/\b(pre[- ]?)?series[- ]([a-h])\b/g)].map(
    ([, before, letter]) => `${before ? 'pre-' : ''}series-${letter}`,
  );

/** Every word that indicates a kind of move, with its place. */
export const kindWords = (masked: string): (Word & { readonly kind: Move })[] =>
  KIND_WORDS.flatMap(([kind, form]) =>
    [...masked.matchAll(form)].map((match) => ({ kind, start: match.index, end: match.index + match[0].length })),
  );

/**
 * Words that indicate a kind of move and say more than the kind: "raise prices", "layoffs", "valuation". They are looked for, too.
 */
const SPECIFIC =
  /^(?:block|bulk|capex|fema|nclt|drhp|insolvency|targets?|goals?|pric(?:e|es|ed|ing)|ambassadors?|campaigns?|collections?|layoffs?|pilots?|restructur\w+|rebrand\w*|licens\w+|partner\w*|tie ?ups?|collab\w*|alliances?|franchis\w+|penalt(?:y|ies)|fines|trademark|raids?|probes?|notices?|valuation|valued|unicorns?|guidance|outlooks?|forecast(?:s|ed)?|aov|debt|seed)$/;
export const isSpecific = (word: string): boolean => SPECIFIC.test(word);

/** Meanings with the form of words by which a question asks for each; the first that fits counts. */
type Table<Value> = readonly (readonly [Value, RegExp])[];
const firstOf = <Value>(table: Table<Value>, text: string): Value | null =>
  table.find(([, form]) => form.test(text))?.[0] ?? null;

/**
 * The forms of a chief's seat.
 * @param chief what a chief of it is called, as `financ\\w+`
 * @param trade what one heads, where it is said so: `head of finance`, `finance chief`
 */
const chiefOf = (short: string, chief: string, trade?: string): RegExp =>
  new RegExp(
    `\\b(?:${short}s?|chief (?:${chief})(?: officers?)?${trade ? `|(?:heads?|leads?|runs?) (?:${trade})|(?:${trade}) (?:chief|head)s?|heads? of (?:${trade})` : ''})\\b`,
  );
const SEATS: Table<string> = [
  ['CFO', chiefOf('cfo', 'financ\\w+', 'finance')],
  ['COO', chiefOf('coo', 'operat\\w+', 'operations')],
  ['CMO', chiefOf('cmo', 'marketing', 'marketing')],
  ['CTO', chiefOf('cto', 'tech\\w*', 'tech|technology')],
  ['CHRO', chiefOf('chro', 'human resources?|people|hr', 'hr|people')],
  ['CBO', chiefOf('cbo', 'business')],
  ['CPO', chiefOf('cpo', 'product')],
  [
    'CEO',
    /\b(?:ceos?|chief executives?(?: officers?)?|boss|chief(?! \w+ officers?)s?|who (?:leads|runs|heads)(?! (?:in |the )*@[kt])|new head(?! of))\b/,
  ],
  ['MD', /\b(?:mds?|managing directors?)\b/],
  ['chairman', /\bchair(?:man|men|persons?|wom[ae]n)?\b/],
  ['founder', /\b(?:co ?)?founders?\b/],
  ['president', /\b(?:vice )?presidents?\b|\b[se]?vps?\b/],
  ['country head', /\bcountry (?:head|manager)s?\b|\bindia heads?\b/],
];
/** Seats that are asked for by their abbreviations alone. */
const ABBREVIATED = /\b(c(?:io|go|ro|do|so|iso))s?\b/;
const HEAD_OF = /\bhead of ((?!@)\w+(?: (?!at|in|of|for|@)\w+)?)/;
const CHIEF = /\bchief ((?!executive)\w+(?: \w+)?) officer\b/;

/** The seat that a question names; null for none, as for executives at large. */
export function seatIn(masked: string): string | null {
  const seat = firstOf(SEATS, masked);
  const head = CHIEF.exec(masked)?.[0] ?? HEAD_OF.exec(masked)?.[0];
  const short = ABBREVIATED.exec(masked)?.[1]?.toUpperCase() ?? null;
  return seat && !(seat === 'CEO' && head) ? seat : (head ?? seat ?? short);
}

/** What regulators and courts did, of which rows are counted: what else they do is looked for by its words. */
const ACTION_WORDS: Table<NonNullable<TypedQuery['action']>> = [
  ['penalty', /\b(?:fine[ds]?|penalt(?:y|ies)|penali[sz]ed)\b/],
  ['notice', /\bnotices?\b/],
  ['recall', /\brecall(?:s|ed)?\b/],
  ['raid', /\braid(?:s|ed)?\b/],
  ['ban', /\bban(?:s|ned)?\b/],
  ['investigation', /\b(?:probe[ds]?|investigat(?:ed|ions?))\b/],
];
const actionIn = (masked: string): TypedQuery['action'] => firstOf(ACTION_WORDS, masked);
/** Words by which a question says no more than that there was such an action. */
const ACTS = /^(?:impos|slap|levi|levy|issu|send|sent|receiv|serv|fac|got$|slapped)/;
/** Whether a word of a question is said by its action already. */
export const isOfAction = (word: string, action: TypedQuery['action']): boolean =>
  action !== null && (actionIn(word) === action || ACTS.test(word));

const MORE =
  '(?:(?:bigger|larger|higher) than|in excess of|cross(?:ing|es|ed)?|exceed(?:s|ed)|surpass(?:es|ed|ing)?|topp(?:ed|ing)|more than|over|above|at least|greater than|exceeding|upwards of|north of|beyond|minimum)';
const LESS = '(?:less than|under|below|at most|fewer than|smaller than|up to|within)';
const AMOUNT =
  '(rs|inr|usd|us|rupees|dollars?)? ?(\\d+(?:\\.\\d+)?) ?(crores?|cr|lakhs?|million|mn|billion|bn|m|b|k|thousand)?\\b(?: (rupees|dollars?|usd))?';
const ROSE = '(?:gr[eo]wn?|grow(?:s|ing)|rose|rises?|risen|rising|jump\\w*|increas\\w*|surg\\w*|climb\\w*)';
const GREW = `(?:${ROSE}|growth|up|gain\\w*)`;
const FELL = '(?:fell|fall\\w*|declin\\w*|drop\\w*|down|slip\\w*|shr[aiu]nk|decreas\\w*|slump\\w*|dip\\w*|degrew)';

/** Which way a figure went, as words that are looked for. */
export const directionsIn = (masked: string): string[] => [
  ...(new RegExp(`\\b${FELL}\\b`).test(masked) ? ['fall'] : []),
  ...(new RegExp(`\\b${ROSE}\\b`).test(masked) ? ['rise'] : []),
];

/** Whether a figure went up or down. */
const WENT = new RegExp(`\\b(?:${GREW}|${FELL})\\b`);

const LESSER = '(?:lower|smaller|reduced|shrinking|narrower|falling|declining|weaker|poorer)';
const GREATER = '(?:higher|bigger|larger|wider|rising|mounting|greater|deeper|improved|growing|stronger)';
const COMPARED = new RegExp(`^(?:${LESSER}|${GREATER})$`);
/** Whether a word says only which way a figure went. */
export const isComparative = (word: string): boolean => COMPARED.test(word);
const SHOPS = '(?:stores?|outlets?|showrooms?|shops?|doors|openings?|branches|locations|ebos?|mbos?|kiosks?|@k\\d+)';

type Condition = NonNullable<TypedQuery['condition']>;
const GROWTH_FIRST = new RegExp(
  `\\b(${GREW}|${FELL}|margins?)(?: \\w+){0,3}? (?:by |of |at )?(${MORE}|${LESS}) (\\d+(?:\\.\\d+)?) ?(?:percent|per cent|pc)\\b`,
);
const GROWTH_LAST = new RegExp(
  `\\b()(${MORE}|${LESS}) (\\d+(?:\\.\\d+)?) ?(?:percent|per cent|pc) (?=growth|revenue growth|sales growth|profit growth|same store)`,
);
/** `100 plus` is written like `at least 100`. */
const PLUS = '(?:plus|or (?:more|above)|and (?:above|more)|upwards)';
const STORES_PLUS = new RegExp(`\\b(\\d+) ${PLUS}\\b`);
const STORES_ABOVE = new RegExp(`\\b(${MORE}|${LESS}) (\\d+) (?:\\w+ )?(?:${SHOPS}|restaurants?|cafes?)\\b`);
const AMOUNT_ABOVE = new RegExp(`\\b(${MORE}|${LESS}) ${AMOUNT}`);
const AMOUNT_PLUS = new RegExp(`\\b(${AMOUNT}) ${PLUS}\\b`);
const sideOf = (word: string | undefined): 'above' | 'below' => (new RegExp(MORE).test(word ?? '') ? 'above' : 'below');
/** The value itself is meant by these too. */
const orEqual = (word: string | undefined): Pick<Condition, 'or_equal'> =>
  /at least|minimum|upwards of|at most|up to|within/.test(word ?? '') ? { or_equal: true } : {};

/** "Grew more than 20 %"; below zero for a fall. */
function percentIn(masked: string): Pick<Condition, 'is' | 'value' | 'or_equal'> | null {
  const [, verb = '', word = '', number] = GROWTH_FIRST.exec(masked) ?? GROWTH_LAST.exec(masked) ?? [];
  if (number === undefined) return null;
  const fell = new RegExp(`^${FELL}$`).test(verb);
  return {
    is: (sideOf(word) === 'above') !== fell ? 'above' : 'below',
    value: fell ? -Number(number) : Number(number),
    ...orEqual(word),
  };
}

/** "Above ₹100 crore". */
function amountIn(masked: string): Omit<Condition, 'metric'> | null {
  const [, word, before = '', number, scale = '', after = ''] =
    AMOUNT_ABOVE.exec(masked.replace(AMOUNT_PLUS, ' at least $1')) ?? [];
  if (number === undefined || !(before || scale || after)) return null;
  const dollars = /usd|us|dollar/.test(`${before} ${after}`) || (!before && !after && /^[mb]/.test(scale));
  const value = Number(number) * scaleOf(scale)[0];
  return { is: sideOf(word), value, unit: dollars ? 'dollars' : 'rupees', ...orEqual(word) };
}

/**
 * A condition with its number, as the question states it.
 * @param learned of what it is and which way, as the question was read; null for none
 * @param isOfDeals whether deals are asked for, so that an amount is that of a deal
 * @param metric what is ranked, or asked of companies that are not named: which way it went, where the question speaks of that
 */
export function conditionIn(
  masked: string,
  learned: { readonly of: Condition['metric']; readonly is: Condition['is'] } | null,
  metric: TypedQuery['metric'],
  isOfDeals: boolean,
): TypedQuery['condition'] {
  const [, word, stores] = STORES_ABOVE.exec(masked.replace(STORES_PLUS, 'at least $1')) ?? [];
  const ofMetric = learned && learned.of !== 'amount' && learned.of !== 'stores' ? learned.of : null;
  const percent = percentIn(masked);
  if (percent) return { metric: ofMetric ?? 'revenue', ...percent, unit: 'percent' };
  if (stores && learned?.of === 'stores')
    return { metric: 'stores', is: sideOf(word), value: Number(stores), unit: 'stores', ...orEqual(word) };
  const amount = RUN_RATE.test(masked) ? null : amountIn(masked);
  if (amount && (learned || isOfDeals)) {
    const stated = !isOfDeals && OF_REVENUE.test(masked) ? 'revenue' : 'amount';
    return { metric: ofMetric && ofMetric !== 'any' ? ofMetric : stated, ...amount };
  }
  if (!learned && metric && metric !== 'any' && WENT.test(masked))
    return { metric, is: new RegExp(`\\b${FELL}\\b`).test(masked) ? 'down' : 'up', value: null, unit: null };
  // A limit without its number is none.
  if (!learned || learned.is === 'above' || learned.is === 'below' || !ofMetric) return null;
  return { metric: ofMetric, is: learned.is, value: null, unit: null };
}

/** What an amount is of that is none of a deal. */
const OF_REVENUE = /\b(?:revenues?|turnover|(?<!(?:stake|share|block) )sales)\b/;
/** A yearly run rate: reports state it in words, and no row has it. */
const RUN_RATE = /\barr\b/;

const CLOSED = /\b(?:clos(?:e|es|ed|ing|ures?)|shut(?:s|ting|tered|ters|down)?|exit(?:s|ed|ing)?|wound down)\b/;
const PLANNED =
  /\b(?:plan(?:s|ned|ning)?|will|upcoming|going to|intend(?:s)?|target(?:s|ed|ing)?|aim(?:s|ed|ing)?|to (?:open|come)|coming (?:up|soon)|pipeline|propos(?:e|ed|es)|by (?:the )?(?:year end|end of|next|20\d\d)|year end|next (?:year|quarter|month|week))\b/;
const OPENED = /\b(?:opened|launched|inaugurated|went live|have opened|has opened|did (?:\S+ ){1,4}open)\b/;

/** Which stores a follow-up narrows to by its words; null for all. */
export function storeStatusIn(masked: string): TypedQuery['store_status'] {
  if (CLOSED.test(masked) && !/\bopen(?:s|ed|ing|ings)?\b/.test(masked)) return 'closed';
  if (PLANNED.test(masked) && !/\bopened\b/.test(masked)) return 'planned';
  if (OPENED.test(masked)) return 'opened';
  return /\bopen(?:s|ings?)\b/.test(masked) && !CLOSED.test(masked) ? 'openings' : null;
}

/** Words by which a question sets what it names side by side. */
export const COMPARE =
  /\b(?:vs|v s|versus|compare[sd]?|comparing|comparison|compared (?:to|with)|side by side|difference between|stack up)\b/;
const NUMBERS: Readonly<Record<string, number>> = { ...NUMBER_WORDS, multiple: 2, several: 3, couple: 2 };
const NUMBER = `(\\d{1,3}|${Object.keys(NUMBERS).join('|')})`;
const numberOf = (text: string | undefined): number | null => (text ? (NUMBERS[text] ?? (Number(text) || null)) : null);

/** How many are asked for: `top 5`, `latest 10 openings`, `5 biggest deals`. */
export function limitIn(masked: string): number | null {
  const after = new RegExp(
    `\\b(?:top|first|latest|last|newest|biggest|largest|recent|give me|show me|show|list|name|any) (?:me )?(?:the )?(?:top |last |latest )?${NUMBER}\\b(?! (?:days?|weeks?|months?|percent|crores?|cr|lakhs?|sources|outlets? report))`,
  ).exec(masked);
  const before = new RegExp(
    `\\b${NUMBER} (?:biggest|largest|latest|newest|most|top|recent|highest|busiest|smallest|leading|priciest|costliest|dearest)\\b`,
  ).exec(masked);
  const count = numberOf((after ?? before)?.[1]);
  return count && count <= 100 ? count : null;
}

const OUTLETS_REPORT = new RegExp(
  `\\b(at least|minimum(?: of)?|more than|over|by|from)? ?${NUMBER}(?: or more| plus)? (?:\\w+ )?(?:outlets|sources|publications|papers|newspapers|publishers|reports)\\b`,
);
const REPORTING =
  /\b(?:report\w*|cover\w*|confirm\w*|carr\w*|sources|publications|papers|publishers|written|mention\w*)\b/;

/** How many outlets have to report it. */
export function minimumOutletsIn(masked: string): number | null {
  const match = OUTLETS_REPORT.exec(masked);
  const number = numberOf(match?.[2]);
  if (!match || number === null) return null;
  const isBy = /^(?:by|from)\b/.test(match[0]) || /\b(?:by|from) (?:about )?$/.test(masked.slice(0, match.index));
  if (!isBy && !REPORTING.test(masked)) return null;
  return /more than|over/.test(match[1] ?? '') ? number + 1 : number;
}

/** Words that ask, join, fill or have been understood as something above: none of them is looked for in the record. */
const UNDERSTOOD = new Set(
  (
    'a an the this that these those there here it its they their them he his him she her we us our you your i me my mine im ive ' +
    'is are was were be been being am do does did done has have had having can could may might would will shall should wanna want wants need ' +
    'and or but if of in on at by to from for with about into over under between through during as than then nor plus via per ' +
    'what whats which who whom whose when where why how many much often ever any some all each every both either else ' +
    'tell show give list find get got let know please kindly pls summarise summarize summary explain describe overview update updates brief ' +
    'happen happened happening happens going doing make makes made take takes took taken go went come came coming say says said saying see seen look looking ' +
    'new news newest latest recent recently lately currently now today so far just yet still already most least more less fewer ' +
    'biggest largest highest lowest smallest top main key big large number count total totals altogether overall together maximum minimum rank ranking ranked leading best bigger larger higher faster fastest ' +
    'indian india indias retail retailer retailers brand brands company companies firm firms business businesses player players sector sectors segment segments category categories industry market markets consumer startup startups chain chains ' +
    'move moves signal signals story stories report reports reported reporting record records announcement announcements announced announce development developments activity activities event events headline headlines highlights ' +
    'not no also only too very up down out off again same other others another one ones thing things anything everything something somebody someone anyone instead ' +
    'told heard cos trying stand stands standing current currently colleague suddenly important notable hot trending buzzing true truth false fact correct working foray forayed forays ventured diversified ' +
    'better worse movement movements gave give given gives giving publish release released outcome provide provided owner owners owns owned vs versus compare compared comparison comparing against relative difference side except excluding exclude besides apart aside barring without minus including counting leaving ' +
    'saw seeing fewest oldest earliest among active marketing rumour rumours rumoured rumored talks filed filing filings filed became becomes become making space lost moved heading anchor anchors tenant tenants landlord landlords tell prompt entry  pe vc funds founders founder growing involving changed change changes affect affects impact impacts  above below under how inside within across around since until till before after last past previous week weeks month months year years quarter quarters day days time times period date dates weekend ' +
    'growth grow grew grown grows yoy net gross annual quarterly rose rise risen jump jumped increase increased surge surged fell fall fallen decline declined drop dropped narrowed widened posted post made book booked percent rs crore crores cr lakh lakhs million mn billion bn usd inr rupees dollars ' +
    'plan plans planning planned upcoming add adds adding added first put puts city cities town towns state states place places near nearby pay pays paid ask asks asked reason reasons cause caused behind led ' +
    'former outgoing crossed crosses exceeded topped comment comments commented remarks views own run runs running expected likely well strongly set sets later earlier effect effects status miss missed digest roundup rundown apps app ' +
    'maker makers manufacturer manufacturers step steps saga row timeline chronology sequence background wrote exactly actually really ok okay hi hello hey thanks thank kind kinds type types sort s t re ve ll d0 d1 d2 least most several multiple couple few sources source citations citation links proof confirmed covered published publications ' +
    'enter entered enters entering secure secured money amount amounts sum value worth spent spend spending size deal person people name named names like interesting whole full right good idea ' +
    'act acts acted acting action actions involved involve involves mentioned mention mentions associated linked concerned concerning against done ' +
    'trouble troubles woes hurdles setbacks headwinds follow following active busiest hottest region regions country nation nationwide network role seat position job ' +
    'one two three four five six seven eight nine ten'
  ).split(' '),
);
const TYPED =
  'acquisition acquisitions acquired opened opening openings stores store launched launches appointed resigned revenue profit results funding raised investment investors invested closures closed expansion jewellery footwear grocery furniture cosmetics electronics restaurants fashion yesterday latest biggest compare quarter outlets showroom showrooms partnership strategy regulation merger company companies retailers brands happened between excluding'.split(
    ' ',
  );

export const isUnderstood = (word: string): boolean =>
  UNDERSTOOD.has(word) || kindWords(word).length > 0 || /^(?:ceo|pat|sssg|gmv|ebitda)$/.test(word);

/** Whether one slip makes a word another one with the same first letter. */
export const isOneSlip = (word: string, meant: string): boolean =>
  meant[0] === word[0] && distance(word, meant, 1) <= 1;
/** Shorter words that nothing knows are names, or other words, more often than slips. */
export const SHORTEST_SLIP = 6;

/** The word of the trade that a misspelled one means, or the only ordinary word, of several the first that names a kind of move; null for none. */
export function wordMeant(word: string): string | null {
  if (word.length < 5) return null;
  const ofTrade = TYPED.find((typed) => isOneSlip(word, typed));
  if (ofTrade || word.length < SHORTEST_SLIP) return ofTrade ?? null;
  const ordinary = COMMON_WORDS.filter((meant) => meant.length >= SHORTEST_SLIP && isOneSlip(word, meant));
  const [meant = null] = ordinary.length > 1 ? ordinary.filter((each) => kindWords(each).length > 0) : ordinary;
  return meant;
}
