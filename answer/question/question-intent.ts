/** What a question wants: sources, reasons, times, a number, a ranking or a comparison, what it takes for a fact, and whom it is about. Pure. */
import type { Move } from '../../schemas/scalar.ts';
import type { Span } from './query-names.ts';
import {
  actionIn,
  asksForStores,
  COMPARE,
  comparesNetworks,
  directionIn,
  firstOf,
  limitIn,
  metricIn,
  NETWORK,
  SUPERLATIVE,
  seatIn,
  type Table,
} from './query-words.ts';
import type { TypedQuery } from './typed-query.ts';

/** Words by which a question counts or names who reported. */
export const REPORTED_BY =
  /\b(?:(?:reported|covered|confirmed|carried|mentioned|written) )?(?:about )?(?:by|from|in)? ?(?:at least|minimum of|minimum|more than|over)? ?\w+(?: or more| plus)? (?:\w+ )?(?:outlets|sources|publications|papers|newspapers|publishers|reports)\b/;
export const SOURCES =
  /\b(?:show|list|give|what|which|where|with|see)\b.*\b(?:sources?|citations?|proof|links?|references?)\b|^(?:which|what) publications (?:have |has )?(?:reported|wrote|covered|published|broke|carried) (?!.*\b(?:most|more|many|top)\b)(?=.*@[bu]\d)|^(?:the )?(?:sources?|citations?|proof|links?|references?)(?: please)?$|\bwho (?:reported|broke)\b(?! (?:an? )?(?:\w+ )?(?:loss|profit|revenue|sales|growth|results))|\bwho (?:says|said|wrote)(?: (?:this|that|it|so|about (?:this|that|it)|the (?:story|news|report)).*)?$|\bwhere did you (?:get|read|find)\b|\bhow do you know\b|\bsays who\b/;
export const WHY =
  /^(?:(?:and|but|so|ok) )?why\b|\bwhy (?:did|is|was|were|are|has|have)\b|\breasons? (?:for|behind|why|given)\b|\bwhat (?:caused|led to|drove|is behind|was behind|s behind|explains)\b|\bhow come\b|\bwhat made\b/;
export const WHEN =
  /^(?:(?:and|but|so) )?(?:since )?when\b|\bwhen (?:did|is|was|were|will|does|has)\b|\b(?:which|what|on which|on what) (?:day|date|month)\b(?!.*\b(?:most|more)\b)|\bhow long ago\b/;
export const HAPPENED =
  /\b(?:what (?:has |have |is |s )?(?:been )?happen(?:ed|ing|s)?|what s (?:new|up|going on|hot|trending|buzzing|cooking)|what is (?:new|going on)|what s the (?:latest|news)|tell me about|news (?:on|about|of|from)|latest (?:on|from|about|news)|updates? (?:on|about|from|for)|catch me up|anything (?:new|on|about)|what (?:did|have) i miss(?:ed)?|digest|round ?up|rundown|what about|everything about|summar(?:y|ise|ize)|brief me)\b/;

const COUNT =
  /\b(?:how many|how often|no of|number of|count (?:of|the)|count|total (?:number|count|openings|stores|deals|closures)|tally)\b/;
const AMOUNT_ASKED =
  /\b(?:how much|add(?:ed|ing)? up|what (?:amount|sum)|total (?:@\w+ )?(?:funding|amount|money|capital|raised|investment|deal value)|(?:money|amount|capital) raised|(?:funding|fundraising|investment|deal value) total|sum of|combined (?:funding|value)|deal value)\b/;
const MORE_OR_LESS = /\b(?:more|fewer|less|bigger|larger|higher|faster|better)\b/;
const RAISED = /\b(?:rais(?:e|es|ed|ing)|fund(?:ing|ings|raise|raises|raised|ed)?|secured?|mop(?:ped)? up|money)\b/;
const SPENT =
  /\b(?:paid|pay|spen[dt]|spending|buy|bought|acqui(?:re|red|sitions?)|invest(?:ed|ing)?|cost|value|worth)\b/;
const SIGNALS = /\b(?:moves?|signals?|stories|news|reports|announcements|updates|times)\b/;
const PEOPLE =
  /\b(?:people|appointments?|hires?|exits|resignations?|departures?|ceos?|cfos?|executives?|leaders|chiefs|cxos?)\b/;
const GROUP = '(?: (?:\\d+|\\w+))?';
/** What is grouped by. */
const GROUPS: Table<NonNullable<TypedQuery['by']>> = [
  [
    'city',
    new RegExp(
      `\\b(?:which|what|top|by|per|in which|in what|list of|many|\\d+|most active|busiest|hottest)${GROUP} (?:cit(?:y|ies)|towns?|metros?|places?|markets?|states?|locations)\\b|\\bcity ?wise\\b|\\bwhere (?:did|do|are|is|were) (?:\\S+ ){0,4}most\\b`,
    ),
  ],
  [
    'category',
    new RegExp(`\\b(?:which|what|top|by|per)${GROUP} (?:categor(?:y|ies)|sectors?|segments?|verticals?|formats?)\\b`),
  ],
  [
    'investor',
    /^(?=.*\b(?:most|active|top|leading|busiest|by|per)\b).*\b(?:which|what|who are|top|by|per|most active|biggest|leading)(?: (?:\d+|the|most active))* (?:investors?|vcs?|funds|backers)\b/,
  ],
  ['period', /\b(?:by|per|which) (?:month|week|quarter|year)\b(?! end)|\bmonth ?wise\b/],
];

type Measured = Pick<TypedQuery, 'intent' | 'measure' | 'by' | 'order' | 'limit'>;

/** How many brands, places, times and kinds of shop a question names. */
interface Sides {
  readonly brands: number;
  readonly places: number;
  readonly periods: number;
  readonly categories: number;
}

/** Whether a question sets what it names side by side. */
function compares(masked: string, { periods }: Sides, several: boolean): boolean {
  const isMore = MORE_OR_LESS.test(masked);
  const isRanked = isMore || SUPERLATIVE.test(masked);
  const or = several && /@[bpk]\d+(?: s)? or (?:in |the )?@[bpk]\d+/.test(masked);
  return (
    COMPARE.test(masked) ||
    (or && (isRanked || /\bwho\b|\bwhich\b|^did\b|^is\b/.test(masked))) ||
    (isMore && several && / than (?:in |the )?@[bpkd]\d+/.test(masked)) ||
    (periods > 1 && / (?:against|vs|versus|than|to|with) @d1/.test(masked)) ||
    (periods > 1 && isRanked && / (?:or|and) @d1/.test(masked))
  );
}

const TOP_NEWS =
  /\b(?:top|biggest|main|major|most important) (?:\d+ )?(?:news|stor(?:y|ies)|moves?|headlines?|developments?|updates?)\b|\bmost recent\b/;

/** What is added up: stores, money, people, figures, else signals. */
function measureIn(masked: string, kinds: readonly Move[], counts: boolean, amounts: boolean): TypedQuery['measure'] {
  const [deals, stores] = [kinds.includes('deals'), kinds.includes('stores')];
  if (NETWORK.test(masked)) return 'network';
  if (RAISED.test(masked) && deals && (amounts || !counts)) return 'raised';
  if (SPENT.test(masked) && deals && amounts) return 'spent';
  if (stores && asksForStores(masked) && !SIGNALS.test(masked)) return 'stores';
  if (kinds.includes('people') && PEOPLE.test(masked) && counts) return 'people';
  return metricIn(masked) && !counts && !deals && !stores ? 'metric' : 'signals';
}

/** What the sides or the words of a question group by. */
function groupsIn({ periods, brands, places, categories }: Sides, group: TypedQuery['by']): TypedQuery['by'] {
  if (periods > 1) return 'period';
  if (group) return group;
  return brands > 1 ? 'brand' : places > 1 ? 'city' : categories > 1 ? 'category' : 'brand';
}

/** One deal by its size. */
const SINGLE =
  /\b(?:biggest|largest|highest|smallest|top)(?: (?:\d+|three|five|ten))? (?:\w+ ){0,2}?(?:deals?|rounds?|acquisitions?|takeovers?|buyouts?|mergers?|fundrais\w*|fundings?|cheques?|investments?|ipos?|(?:stake|share|shareholder) sales?|raise)\b/;

/** The sums of penalties, not their number. */
const SUM_FINED = /\btotal (?:(?:amount|value|sum) )?(?:of )?(?:all |the )?(?:\S+ )?(?:fines?|penalt(?:y|ies))\b/;
const LARGEST = /\b(?:biggest|largest|highest|smallest|lowest|heaviest|steepest|top)\b/;

/** The number, ranking or comparison that a question wants; null for none. */
export function measured(masked: string, kinds: readonly Move[], sides: Sides): Measured | null {
  const [counts, amounts] = [COUNT.test(masked), AMOUNT_ASKED.test(masked)];
  const several = Object.values(sides).some((count) => count > 1);
  const isTop = SUPERLATIVE.test(masked.replace(/\bat (?:least|most)\b/g, ' ')) && !TOP_NEWS.test(masked);
  const group = firstOf(GROUPS, masked);
  const metric = metricIn(masked);
  const measure = measureIn(masked, kinds, counts, amounts);
  const order = /\b(?:fewest|lowest|smallest|least|fewer|less)\b/.test(masked) ? 'smallest' : 'largest';
  const by = groupsIn(sides, group);
  const limit = limitIn(masked);
  const number = { by: null, order: 'relevance', limit } as const;
  // "@b0 vs @m1" is a dispute with a regulator, and nothing side by side.
  if (compares(masked, sides, several) && (several || COMPARE.test(masked.replace(/\bv(?:ersu| )?s\b/g, ' ')))) {
    const isOfNetworks = measure === 'stores' && sides.brands > 1 && comparesNetworks(masked);
    // Companies side by side, without what is measured: numbers of signals would say nothing of them.
    const isBare = by === 'brand' && sides.brands > 1 && kinds.length === 0 && metric === null && !counts && !isTop;
    const isFined = kinds.includes('rules') && actionIn(masked) === 'penalty' && !counts;
    const compared = isOfNetworks ? 'network' : isFined ? 'fined' : isBare ? null : measure;
    return { intent: 'compare', measure: compared, by, order, limit };
  }
  if (measure === 'network' && !isTop) return { ...number, intent: 'count', measure };
  if (SINGLE.test(masked)) {
    const spent = /\b(?:acquisition|buyout|takeover|paid)/.test(masked);
    return { intent: 'rank', measure: spent ? 'spent' : 'raised', by: null, order, limit };
  }
  if (kinds.includes('rules') && actionIn(masked) === 'penalty' && !counts) {
    if (amounts || SUM_FINED.test(masked)) return { ...number, intent: 'sum', measure: 'fined' };
    if (/\b(?:fined|penali[sz]ed) (?:the )?most\b/.test(masked))
      return { intent: 'rank', measure: 'fined', by: 'brand', order, limit };
    if (LARGEST.test(masked)) return { intent: 'rank', measure: 'fined', by: null, order, limit };
  }
  if (isTop && (kinds.length > 0 || metric || group || /\bactive\b/.test(masked)))
    return { intent: 'rank', measure, by, order, limit };
  if (several && /\b(?:who|which|what)\b.*\bmore\b(?! than)/.test(masked))
    return { intent: 'compare', measure, by, order, limit };
  if (counts) {
    const isOfMetric = metric !== null && !kinds.includes('stores');
    return { ...number, intent: 'count', measure: isOfMetric ? 'signals' : measure };
  }
  if (amounts && kinds.includes('deals'))
    return { ...number, intent: 'sum', measure: measure === 'raised' ? 'raised' : 'spent' };
  return group && kinds.length > 0 ? { intent: 'rank', measure, by, order: 'largest', limit } : null;
}

const SIDE = '@([bum]\\d+)';
const THING = '(?: (?!@)[a-z0-9.&]+){0,5}?';
const BUYS =
  '(?:acquire[sd]?|acquiring|buy|buys|bought|buying|take over|takes over|took over|taking over|purchase[sd]?|invest in|invests in|invested in|investing in|merge with|merged with|merging with|back|backs|backed|sell|sold|selling|pay for|paid for)';
const PREMISES: readonly (readonly [Move, RegExp, swapped: boolean])[] = [
  [
    'people',
    new RegExp(
      `${SIDE} (?:s )?(?:\\w+ )?(?:joins?|joined|joining|left|leave|leaves|leaving|quit|quits|resign|resigned|resigns|step down|stepped down)${THING} ${SIDE}`,
    ),
    false,
  ],
  [
    'deals',
    new RegExp(`(?:acquisition|takeover|purchase|buyout|investment) (?:of|in)${THING} ${SIDE} by ${SIDE}`),
    true,
  ],
  [
    'deals',
    new RegExp(
      `${SIDE} (?:was |is |being |get |got |been )*(?:acquired|bought|taken over|purchased|backed|funded) by ${SIDE}`,
    ),
    true,
  ],
  ['deals', new RegExp(`${SIDE} (?:is |has |was |did |will |just |really )*${BUYS}${THING} ${SIDE}`), false],
];

/** What a question takes for a fact, where it names both sides; the one who acts, or the person, is the subject. */
export function premiseIn(masked: string, spans: ReadonlyMap<string, Span>): TypedQuery['premise'] {
  if (COMPARE.test(masked)) return null;
  const side = (name: string | undefined): NonNullable<TypedQuery['premise']>['subject'] | null => {
    const meaning = name ? spans.get(name)?.meaning : undefined;
    if (meaning?.type === 'brand') return meaning.brand;
    if (meaning?.type === 'mention') return { slug: null, name: meaning.mention.name };
    return meaning?.type === 'unknown' ? { slug: null, name: meaning.name } : null;
  };
  for (const [kind, form, swapped] of PREMISES) {
    const match = form.exec(masked);
    const [one, other] = [side(match?.[1]), side(match?.[2])];
    if (!match || !one || !other) continue;
    const text = match[0].replace(/@([bumpkt]\d+)/g, (_, name: string) => side(name)?.name ?? '').trim();
    return { kind, subject: swapped ? other : one, object: swapped ? one : other, text: text.slice(0, 300) };
  }
  return null;
}

const MOVED =
  '(?:join|joins|joined|left|leave|leaves|quit|quits|resign|resigned|step|stepped|go|went|replace|replaced|replaces|head|heads|lead|leads|s exit|s resignation|s appointment|s role|appointed|promoted|elevated|named|move|moved)';

export function personIn(
  masked: string,
  spans: ReadonlyMap<string, Span>,
): { person: TypedQuery['person']; taken: string | null } {
  const replaced =
    /\b(?:who|whom) (?:will |is |has |was )?(?:replac(?:e|es|ed|ing)|succe(?:ed|eds|eded|eding)) (?:@(u\d+))?/.exec(
      masked,
    );
  const replaces = /\bwho(?:m)? (?:did|does|will|has|is) (?:@(u\d+)|\w+) (?:replac|succe)/.exec(masked);
  const named = new RegExp(
    `@(u\\d+) (?:\\w+ )?${MOVED}|\\b(?:appoint\\w*|hir(?:e|ed)|replac\\w*|succe\\w*|who is|name|named|promot\\w*|about) @(u\\d+)`,
  ).exec(masked);
  const taken = replaced?.[1] ?? replaces?.[1] ?? named?.[1] ?? named?.[2] ?? null;
  const meaning = taken ? spans.get(taken)?.meaning : undefined;
  const name = meaning?.type === 'unknown' ? meaning.name : null;
  const asks = replaces ? 'predecessor' : replaced ? 'successor' : null;
  return {
    person: { role: seatIn(masked), direction: asks ? null : directionIn(masked), name, asks },
    taken: name ? taken : null,
  };
}
