/**
 * Whether an item is a dated, concrete move in Indian retail and consumer business, by plain rules first, then the
 * model; and the labels of its story: the kind of move, its editorial label, and its theme.
 */

import { isExpected, type Result } from '../../facts/results/fields.ts';
import { isRetired, type PreparedCatalogue } from '../../facts/text/catalogue.ts';
import type { Reading } from '../../facts/text/item-reading.ts';
import type { Category } from '../../schemas/catalogue.ts';
import { MOVES, type Move } from '../../schemas/scalar.ts';
import type { Understanding } from '../../schemas/story.ts';
import { describeOpinions, type Opinions, strongestFeatures, type Weights } from './model/linear-model.ts';

const NOISE_REASONS = [
  'round-up of several stories',
  'glossary entry',
  'share tips or market talk',
  'promotion or shopping guide',
  'listicle or guide',
  'opinion',
  'explainer',
  'profile or interview',
  'award or event',
  'news of another country',
  'general technology',
  'finance',
  'another industry',
  'investment fund',
  'no move',
  'no consumer business',
] as const;
type NoiseReason = (typeof NOISE_REASONS)[number];

/** A rule that decided: its reason, and the words that matched it. */
interface PlainNoise {
  readonly reason: NoiseReason;
  readonly words: string;
}

/** Forms that no report of a move has. Each has to be unmistakable: they overrule the model. */
const PLAIN_NOISE: readonly (readonly [NoiseReason, RegExp])[] = [
  [
    'round-up of several stories',
    /\bround-?up\b|&\s+more$|\bnews and updates\b|startups? raised .{0,30}this week|\bweekly (?:gains|wrap|funding|digest|recap)\b|\btop (?:stories|headlines)\b|\bweek in review\b|\bthe week that was\b|\bnews digest\b|\b(?:morning|evening|daily|weekly) (?:digest|brief|wrap|bulletin|recap)\b|^in brief\b|\bthis week in\b|\bin the news\s*$/i,
  ],
  [
    'glossary entry',
    /\b(?:word|term|jargon) of the (?:day|week)\b|\bthe (?:words|vocabulary|language|abc) of (?:a|an|the)\b/i,
  ],
  [
    'share tips or market talk',
    /\bshares? in focus (?:today|on|this)\b|\bbuy,? (?:sell,? )?or hold\b|\bstocks? to (?:buy|watch|sell|track)\b|\b(?:brokerage|analyst)s? (?:view|radar|call|picks?)\b|\b(?:share )?target price\b|\bprice target\b|\bmultibagger\b|\bstock radar\b|\bshould you (?:buy|sell|hold|subscribe|invest|apply)\b|\b(?:sensex|nifty)\b|\brupee (?:settles|ends|opens|falls|rises|closes)\b|\bgrey market premium\b/i,
  ],
  [
    'promotion or shopping guide',
    /\bup to \d+\s?(?:%|per ?cent|pc) off\b|\b(?:flat|extra) \d+\s?% off\b|\bour (?:top )?picks\b|\bdeals? (?:under|on .{3,40} under)\b|\bbest .{2,40}\bdeals?\b|\bcoupon (?:of|codes?)\b|\bpromo code\b|\b(?:gift|gifting) (?:ideas|guide)\b|\bis (?:it )?worth (?:it|buying)\b|\bhere is what is worth\b|\bgrab\b.{0,30}\b(?:off|deals)\b/i,
  ],
  [
    'listicle or guide',
    /^(?:top |best |the )?\d{1,3}\s+(?:(?!(?:new|more|stores|outlets)\b)[\p{L}-]+\s){0,3}(?:ways|tips|lessons|teachings|things|reasons|ideas|places|books|habits|mistakes|myths|quotes|facts|questions|cafes|cafés|restaurants|bars|gifts|looks|trends)\b(?!.{0,40}\b(?:by|before|open|opens)\b)|\bto work from\b|\bphoto essay\b|\bhoroscope\b|\brecipes?\b|\bquiz\b|\bhow to (?:choose|buy|pick|style|wear|clean|make|apply|check|get|save|start)\b|\bin \d+ charts\b/iu,
  ],
  [
    'opinion',
    /^(?:opinion|column|view|views|editorial|op-ed|comment|letter|letters|guest post|founder diary|reader'?s? (?:letter|view))\b\s*[:|–—-]|\bdiary\s*[:–—-]|\blong live\b/i,
  ],
  ['explainer', /^(?:\p{L}+\s)?explainers?\b|^explained\b\s*[:|–—-]/iu],
  [
    'profile or interview',
    /^(?:interview|in conversation|profile|q&a|podcast)\b\s*[:|–—-]|\bin conversation with\b|^my first\b/i,
  ],
  [
    'award or event',
    /\bnominations? (?:are )?open\b|\bregistrations? (?:are )?open\b|\b(?:summit|conclave|webinar|hackathon|masterclass)\b.{0,30}\b(?:agenda|speakers?|registration|returns|to be held)\b/i,
  ],
];

/** The mark of a text that somebody paid for; it may be among the labels that are no part of the headline. */
const PAID =
  /^[\s[({]*(?:sponsored|advertorial|advertisement|promoted|partner(?:ed)? content|paid (?:post|content|partnership)|brand (?:post|spot|connect|studio|feature)|brandspot|in association with|impact feature|consumer connect)\b\s*(?:[\])}]|[:|–—-])/i;

const INDIA = /\bindia(?:n|ns)?\b|\bbharat\b|\brupees?\b|\bcrores?\b|\blakhs?\b|₹|\brs\.? ?\d/i;

/** Whether an item says that it is about India: the country, its money or one of its cities is in the text or the section. */
const hasTieToIndia = ({ title, summary, path }: Reading): boolean =>
  INDIA.test(title.text) ||
  INDIA.test(summary.text) ||
  path.some((part) => /\bindia\b/.test(part)) ||
  [...title.mentions, ...summary.mentions].some(({ city }) => city && !city.common_word);

/** Finds the rule for plain noise that an item matches, whatever else it says; null for most items. */
function findPlainNoise(reading: Reading): PlainNoise | null {
  const { text } = reading.title;
  const paid = PAID.exec(reading.item.title);
  if (paid) return { reason: 'promotion or shopping guide', words: paid[0].trim() };
  for (const [reason, form] of PLAIN_NOISE) {
    const match = form.exec(text);
    if (match) return { reason, words: match[0].trim() };
  }
  if (reading.country !== 'IN' && !hasTieToIndia(reading))
    return { reason: 'news of another country', words: `${reading.country}, without a tie to India` };
  // A digest joins several stories with semicolons and names none of them as its own.
  if (
    /\S;\s+\p{Lu}/u.test(text) &&
    !/\b(?:steps? down|resigns?|quits?|appoints?|succeeds?|take charge)\b/i.test(text) &&
    /^yourstory|newsletter|digest/.test(reading.host + reading.path.join(' '))
  )
    return { reason: 'round-up of several stories', words: ';' };
  return null;
}

/** Why the model may have rejected an item, by its features. The first match is the reason. */
const NOISE_CAUSES: readonly (readonly [NoiseReason, readonly string[]])[] = [
  ['share tips or market talk', ['cue:noise:market']],
  ['investment fund', ['cue:noise:fund']],
  ['promotion or shopping guide', ['cue:noise:promo', 'phrase:guide']],
  ['listicle or guide', ['cue:noise:list']],
  [
    'profile or interview',
    [
      'cue:noise:speaker',
      'cue:noise:person',
      'cue:noise:profile',
      'section:interview',
      'section:herstory',
      'section:smbstory',
    ],
  ],
  ['explainer', ['cue:noise:explainer', 'shape:question', 'section:explainer']],
  ['opinion', ['cue:noise:voice', 'section:opinion', 'shape:quote']],
  ['news of another country', ['place:abroad-only']],
  ['general technology', ['topic:technology']],
  ['finance', ['topic:finance']],
  [
    'another industry',
    [
      'topic:mobility',
      'topic:property',
      'topic:industry',
      'topic:learning',
      'topic:media',
      'topic:public',
      'side:outside',
    ],
  ],
];

/** The most likely reason why the model rejected an item, by its features. */
function explainNoise(features: ReadonlyMap<string, number>): NoiseReason {
  const cause = NOISE_CAUSES.find(([, names]) => names.some((name) => features.has(name)));
  if (cause) return cause[0];
  return features.has('known-consumer') || features.has('side:consumer') ? 'no move' : 'no consumer business';
}

export interface Relevance {
  readonly relevant: boolean;
  readonly roundup: boolean;
  /** `move`, or why it is noise, such as `opinion` or `no consumer business`. */
  readonly reason: string;
  /** The probability by the models; 0 where a rule for plain noise decided. */
  readonly likely: number;
  /** What decided: a rule for plain noise, the models, or a language model. */
  readonly rule: 'plain noise' | 'relevance model' | 'language model';
  /** The words or features that decided; computed on demand. */
  readonly words: () => string[];
}

/**
 * Decides whether an item is relevant: rules for plain noise first, then the models.
 * @param weights classes `relevant` and `noise`
 * @param opinions of the linear model and the encoder
 */
export function judgeRelevance(
  reading: Reading,
  weights: Weights,
  opinions: Opinions,
  features: ReadonlyMap<string, number>,
): Relevance {
  const plain = findPlainNoise(reading);
  if (plain)
    return {
      relevant: false,
      roundup: plain.reason.startsWith('round-up'),
      reason: plain.reason,
      likely: 0,
      rule: 'plain noise',
      words: () => [plain.words],
    };
  const likely = opinions.combined.probabilities.relevant ?? 0;
  const relevant = likely >= 0.5;
  return {
    relevant,
    roundup: false,
    reason: relevant ? 'move' : explainNoise(features),
    likely,
    rule: 'relevance model',
    words: () => [
      describeOpinions(opinions, 'relevant'),
      ...strongestFeatures(weights, features, relevant ? 'relevant' : 'noise'),
    ],
  };
}

const isMove = (name: string): name is Move => (MOVES as readonly string[]).includes(name);

/** What a headline raises or cuts is a price, and no money for a company: `raises platform fee to Rs 17`. */
const PRICE_CHANGE =
  /\b(?:rais(?:es?|ed|ing)|hik(?:es?|ed|ing)|lifts?|increas(?:es?|ed|ing)|cuts?|slash(?:es|ed)?|lowers?|reduc(?:es?|ed))\s(?:[\p{L}'’-]+\s){0,3}?(?:fees?|prices?|fares?|charges?|mrps?)\b/iu;
/**
 * Chooses the likeliest kind of move; the models take `raises … to Rs 17` for a deal where it is a price.
 * @returns `words` lists what each model says, and the features that decided
 */
export function chooseMove(
  weights: Weights,
  opinions: Opinions,
  features: ReadonlyMap<string, number>,
  headline: string,
): { move: Move; words: () => string[] } {
  const { best } = opinions.combined;
  if (best === 'deals' && PRICE_CHANGE.test(headline)) return { move: 'launches', words: () => ['a price is changed'] };
  return {
    move: isMove(best) ? best : 'other',
    words: () => [describeOpinions(opinions, best), ...strongestFeatures(weights, features, best)],
  };
}

const DEAL_LABELS: Readonly<Record<string, string>> = {
  funding: 'Funding',
  acquisition: 'Acquisition',
  merger: 'Merger',
  stake_sale: 'Stake sale',
  ipo: 'IPO',
  jv: 'Joint venture',
};

/** The labels of a deal without a certain fact, the most specific first. */
const DEAL_WORDS: readonly (readonly [string, RegExp])[] = [
  [
    'IPO',
    /\b(?:ipo|public (?:issue|offer(?:ing)?)|drhp|draft papers|listing|go(?:es|ing)? public|capital markets?)\b/i,
  ],
  ['Joint venture', /\b(?:joint venture|jv)\b/i],
  ['Merger', /\b(?:de)?merg(?:e[sdr]?|er|ing)\b/i],
  [
    'Acquisition',
    /\b(?:acqui\w+|takeover|takes over|buyout|buys?|to buy|bids?|bidding|race for|control of|majority)\b/i,
  ],
  ['Stake sale', /\b(?:stakes?|shares|offloads?|block deals?|bulk deals?|sells?|selling|exit)\b/i],
  ['Funding', /\b(?:rais\w+|fund\w*|rounds?|equity|debt|financ\w+|invest\w*|backs?|valuation)\b/i],
  ['Deal', /(?:)/],
];

/** The labels of each move that its words decide, the most specific first; the last one fits everything. */
const LABELS: Readonly<Record<Exclude<Move, 'deals' | 'people' | 'stores'>, readonly (readonly [string, RegExp])[]>> = {
  results: [
    ['Guidance', /\b(?:expects?|guidance|guides|outlook|sees|forecasts?|projects?|eyes|targets?|aims?)\b/i],
    ['Business update', /\bbusiness update\b|\bquarterly update\b|\barr\b|\bunits\b/i],
    ['Quarterly results', /\b(?:q[1-4](?=fy|\b)|quarter\w*)/i],
    ['Annual results', /\bfy\s?\d\d\b|\bfiscal\b|\bannual\b/i],
    [
      'Results',
      /\b(?:results|profits?|loss(?:es)?|revenue|sales|turnover|ebitda|pat|arr|income|margins?|growth|grows?|profitable|break-?even)\b/i,
    ],
    ['Business update', /(?:)/],
  ],
  launches: [
    [
      'Price change',
      /\b(?:price|prices|dearer|costlier|cheaper|cost(?:s)? \d|to cost|fee|fees)\b.*\b(?:hike|cut|rise|raise|lift|up|down|more|less)|\b(?:hikes?|cuts?|raises?|lifts?|drops?)\b.{0,40}\b(?:price|prices|fee|fees)\b|\b(?:dearer|costlier|cheaper)\b/i,
    ],
    ['Brand ambassador', /\bambassador\b|\bas (?:its )?(?:new )?face\b|\bface of\b|\bits face\b/i],
    [
      'Sale',
      /\b(?:sale|big billion|prime day|festive offers?)\b.{0,40}\b(?:begins?|starts?|returns?|kicks|live|from|on)\b/i,
    ],
    ['Campaign', /\b(?:brand film|ad film|campaign|tvc)\b/i],
    [
      'Service launch',
      /\b(?:services?|app|platform|delivery|subscription|membership|loyalty|assistant|feature|programme?)\b/i,
    ],
    ['Product launch', /(?:)/],
  ],
  strategy: [
    ['Layoffs', /\b(?:lays? off|layoffs?|job cuts|cuts? .{0,20}(?:jobs|headcount|employee count|workforce))\b/i],
    [
      'Market entry',
      /\b(?:enters?|india entry|india debut|entry (?:in)?to|forays? into|(?:brings?|bringing) .{3,60} to india)\b/i,
    ],
    ['Partnership', /\b(?:partner\w*|ties up|tie-up|teams up|collab|collaborat\w+|joins hands|mou|pact|alliance)\b/i],
    [
      'Investment',
      /\b(?:invest(?:s|ing|ments?)?|earmarks?|plant|factory|facility|warehouse|capex|capacity|manufacturing)\b/i,
    ],
    ['Rebranding', /\b(?:rebrand\w*|new (?:brand )?(?:identity|logo))\b/i],
    ['Restructuring', /\b(?:restructur\w+|rejig|shuts? down|winds? (?:up|down)|demerg\w+|overhaul)\b/i],
    ['Strategy', /(?:)/],
  ],
  rules: [
    ['Recall', /\brecalls?\b|\bcalled back\b/i],
    [
      'Court case',
      /\b(?:court|hc|sc|nclt|nclat|tribunal|lawsuit|sues?|plea|petition|verdict|challenges?|bankruptcy|insolvency)\b/i,
    ],
    ['Penalty', /\b(?:fines?|fined|penalt(?:y|ies)|told to pay)\b/i],
    ['Notice', /\b(?:notices?|legal threat|probe[sd]?|raids?|summons|investigat\w+|scrutiny)\b/i],
    ['Tax', /\b(?:gst|tax|duty|excise|cess)\b/i],
    ['Approval', /\b(?:nod|approv\w+|clears|clearance)\b/i],
    ['Regulation', /(?:)/],
  ],
  other: [
    [
      'Industry data',
      /\b(?:report|survey|study|data|index)\b|\d\s?(?:%|per ?cent|pc\b|crore|cr\b|lakh|million|billion|mn\b|bn\b)/i,
    ],
    ['Industry', /(?:)/],
  ],
};

const PEOPLE_LABELS = { joined: 'Appointment', left: 'Exit', promoted: 'Promotion' } as const;
/** A headline may report an exit without a name: `founders to leave`. */
const LEAVING = /\b(?:leaves?|exits?|exiting|quits?|resigns?|resignation|departs?|steps? (?:down|aside)|retires?)\b/i;

/** The labels of a move of stores without a certain opening, the most specific first. */
const STORE_LABELS: readonly (readonly [string, RegExp])[] = [
  ['Investment', /\b(?:plants?|factor(?:y|ies)|manufacturing|warehous(?:es?|ing)|capacity)\b/i],
  ['Market entry', /\b(?:enters? india|india (?:entry|debut)|enters? (?:the )?(?:\w+ ){0,2}(?:market|segment))\b/i],
  [
    'Store plans',
    /\b(?:to|will|plans?|eyes|targets?|set to) (?:open|add|launch|set up|build|expand|double|triple|lease|enter|debut)\b|\b(?:plans?|eyes|targets?|aims?)\b.{0,30}\b(?:stores?|outlets?|showrooms?)\b/i,
  ],
  [
    'Store closure',
    /\b(?:shuts?|closes?|closing|closure|exits?)\b|\b(?:slash|halv|prun|shrink|trim|cut)\w* .{0,25}\b(?:presence|footprint|network|stores|cities)\b/i,
  ],
  [
    'Store opening',
    /\b(?:stores?|outlets?|showrooms?|flagship|restaurants?|caf[eé]s?|salons?|boutiques?|kiosks?|malls?|hotels?|food courts?|cent(?:re|er)s?|dark stores|clinics?|studios?|opens?|opened|inaugurates?|reopens?)\b/iu,
  ],
];

const JOINING =
  /\b(?:appoint\w*|names?|hires?|hired|onboards?|inducts?|joins?|new (?:ceo|md|cfo|coo|cmo|head|chief|chair\w*)|takes? (?:over|charge)|ropes? in|brings? in|strengthens .{0,30}(?:team|leadership|board)|leadership hires?)\b/i;
const STAYING =
  /\b(?:to (?:stay|remain|continue)|denies|den(?:ied|ying)|rules? out|not (?:leaving|quitting|stepping|exiting))\b/i;

const labelBy = (labels: readonly (readonly [string, RegExp])[], headline: string): string | undefined =>
  labels.find(([, form]) => form.test(headline))?.[0];

/** A headline without the names of its brands, whose words say nothing of the move: `The Hazelnut Factory’s bet`. */
const withoutNames = (headline: string, brands: Understanding['brands'] = []): string =>
  brands.reduce((text, { name }) => text.replaceAll(name, ' '), headline);

/** What of a story its label follows from. */
type Labelled = Pick<Understanding, 'move' | 'deal' | 'people' | 'openings' | 'headline'> &
  Partial<Pick<Understanding, 'result' | 'brands'>>;

/** Labels a move in a few words: `Funding`, `IPO`, `Store opening`, `Appointment`, `Quarterly results`. */
export function labelMove(story: Labelled): string {
  const { move, deal, people, openings, result } = story;
  const headline = withoutNames(story.headline, story.brands);
  if (move === 'deals') return DEAL_LABELS[deal?.type ?? ''] ?? labelBy(DEAL_WORDS, headline) ?? 'Deal';
  if (move === 'people') {
    const direction =
      people[0]?.direction ??
      (STAYING.test(headline) ? null : LEAVING.test(headline) ? 'left' : JOINING.test(headline) ? 'joined' : null);
    return direction ? PEOPLE_LABELS[direction] : 'Leadership';
  }
  if (move === 'stores') {
    const [first] = openings;
    if (first?.status === 'closed') return 'Store closure';
    if (first?.status === 'planned') return 'Store plans';
    // A chain that reaches a number of stores has opened none that the headline names.
    if (first && (first.city || first.mall || first.locality || first.stores)) return 'Store opening';
    return first ? 'Expansion' : (labelBy(STORE_LABELS, headline) ?? 'Expansion');
  }
  // What was reported decides, whatever the headline says is expected as well.
  const isReported = move === 'results' && result && !isExpected(result.metric) && hasFigure(result);
  const labels = isReported ? LABELS.results.filter(([label]) => label !== 'Guidance') : LABELS[move];
  return labelBy(labels, headline) ?? 'Move';
}

const hasFigure = ({ value, growth_pct }: Result): boolean => value !== null || growth_pct !== null;

/** The kind of move weighs more than the category of the brand, and less than a word of the headline with the category. */
const MOVE_WEIGHT = 2;
const CATEGORY_WEIGHT = 1.5;
/** One word that many stories have, such as CEO or omnichannel, puts no story under a theme. */
const LEAST_SIGNS = 2;

interface Signs {
  score: number;
  count: number;
}

/**
 * Adds the words of themes in a text: a word is one sign; a phrase is two, and so is a word of the headline for what is sold; a
 * word that was met before is none.
 */
function addWords(
  signsOf: (slug: string) => Signs,
  { themeWords, themePhrases, themeGoods, themesOf }: PreparedCatalogue,
  texts: readonly (readonly [text: string, weight: number])[],
): void {
  const met = new Set<string>();
  for (const [text, weight] of texts) {
    const isHeadline = weight === 1;
    for (const key of new Set(themeWords.matchInText(text).map((match) => match.keyword))) {
      for (const slug of themesOf.get(key) ?? []) {
        const signs = signsOf(slug);
        signs.score += weight * (1.5 + key.length / 20);
        const isEnough = themePhrases.has(key) || (isHeadline && themeGoods.has(key));
        if (!met.has(key)) signs.count += isEnough ? LEAST_SIGNS : 1;
      }
      met.add(key);
    }
  }
}

/**
 * Chooses the theme with the most signs: words of the headline, and less of the summary, the category of the brand, and the
 * kind of move, which models learned. A single word is not enough.
 * @param categories of the primary brands: they decide where nothing else does
 * @param story its kind of move and label, which some themes are for
 * @returns null when no theme has enough in common with the item
 */
export function chooseTheme(
  reading: Reading,
  categories: readonly Category[],
  catalogue: PreparedCatalogue,
  story?: Pick<Understanding, 'move' | 'kind'>,
): { slug: string; name: string } | null {
  const signs = new Map<string, Signs>();
  const signsOf = (slug: string): Signs => {
    const ofTheme = signs.get(slug) ?? { score: 0, count: 0 };
    signs.set(slug, ofTheme);
    return ofTheme;
  };
  const add = (slug: string, score: number): void => {
    const ofTheme = signsOf(slug);
    ofTheme.score += score;
    ofTheme.count += LEAST_SIGNS;
  };
  for (const { slug, categories: own, moves, kinds } of catalogue.catalogue.themes) {
    if (own.some((category) => categories.includes(category))) add(slug, CATEGORY_WEIGHT);
    if (story && moves?.includes(story.move) && (kinds?.includes(story.kind ?? '') ?? true)) add(slug, MOVE_WEIGHT);
  }
  addWords(signsOf, catalogue, [
    [reading.title.folded, 1],
    [reading.summary.folded.slice(0, 500), 0.4],
  ]);
  let best: { slug: string; name: string } | null = null;
  let most = 0;
  for (const theme of catalogue.catalogue.themes) {
    const { score, count } = signs.get(theme.slug) ?? { score: 0, count: 0 };
    if (count >= LEAST_SIGNS && score > most && !isRetired(theme, reading.item)) {
      most = score;
      best = { slug: theme.slug, name: theme.name };
    }
  }
  return best;
}
