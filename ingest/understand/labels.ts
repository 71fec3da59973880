/** The labels of a story: the kind of move, its editorial label, and its theme. */
import type { Category } from '../../schemas/catalogue.ts';
import { MOVES, type Move } from '../../schemas/scalar.ts';
import type { Understanding } from '../../schemas/story.ts';
import { isRetired, type PreparedCatalogue } from './catalogue.ts';
import type { Reading } from './item-reading.ts';
import { describeOpinions, type Opinions } from './model/combined-model.ts';
import { strongestFeatures, type Weights } from './model/linear-model.ts';

const isMove = (name: string): name is Move => (MOVES as readonly string[]).includes(name);

/** Chooses the likeliest kind of move. @returns `words` lists what each model says, and the features that decided */
export function chooseMove(
  weights: Weights,
  opinions: Opinions,
  features: ReadonlyMap<string, number>,
): { move: Move; words: () => string[] } {
  const { best } = opinions.combined;
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

/** The labels of each move that its words decide, the most specific first; the last one fits everything. */
const LABELS: Readonly<Record<Exclude<Move, 'deals' | 'people' | 'stores'>, readonly (readonly [string, RegExp])[]>> = {
  results: [
    ['Guidance', /\b(?:expects?|guidance|guides|outlook|sees|forecasts?|projects?|eyes)\b/i],
    ['Business update', /\bbusiness update\b|\bquarterly update\b/i],
    ['Quarterly results', /\b(?:q[1-4]|quarter\w*)\b/i],
    ['Annual results', /\bfy\s?\d\d\b|\bfiscal\b|\bannual\b/i],
    ['Results', /(?:)/],
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
    [
      'Service launch',
      /\b(?:service|app|platform|delivery|subscription|membership|loyalty|assistant|feature|programme?)\b/i,
    ],
    ['Product launch', /(?:)/],
  ],
  strategy: [
    ['Layoffs', /\b(?:lays? off|layoffs?|job cuts|cuts? \d+ jobs)\b/i],
    ['Market entry', /\b(?:enters? india|india entry|india debut|enters? (?:the )?(?:\w+ ){0,2}market)\b/i],
    ['Investment', /\b(?:plant|factory|facility|warehouse|capex|capacity|manufacturing)\b/i],
    ['Partnership', /\b(?:partner\w*|ties up|tie-up|teams up|collaborat\w+|joins hands|mou|pact|alliance)\b/i],
    ['Restructuring', /\b(?:restructur\w+|rejig|shuts? down|winds? (?:up|down)|demerg\w+|rebrands?|overhaul)\b/i],
    ['Strategy', /(?:)/],
  ],
  rules: [
    ['Recall', /\brecalls?\b|\bcalled back\b/i],
    ['Court case', /\b(?:court|hc|sc|nclt|nclat|tribunal|lawsuit|sues?|plea|petition|verdict)\b/i],
    ['Penalty', /\b(?:fines?|fined|penalt(?:y|ies)|told to pay)\b/i],
    ['Tax', /\b(?:gst|tax|duty|excise|cess)\b/i],
    ['Notice', /\b(?:notices?|probe[sd]?|raids?|summons|investigat\w+)\b/i],
    ['Approval', /\b(?:nod|approv\w+|clears|clearance)\b/i],
    ['Regulation', /(?:)/],
  ],
  other: [
    ['Industry data', /\b(?:report|survey|study|data|says?|index)\b|\d\s?(?:%|per ?cent|pc\b)/i],
    ['Industry', /(?:)/],
  ],
};

const PEOPLE_LABELS = { joined: 'Appointment', left: 'Exit', promoted: 'Promotion' } as const;
/** A headline may report an exit without a name: `founders to leave`. */
const LEAVING = /\b(?:leaves?|exits?|exiting|quits?|resigns?|resignation|departs?|steps? (?:down|aside)|retires?)\b/i;

/** Labels a move in a few words: `Funding`, `IPO`, `Store opening`, `Appointment`, `Quarterly results`. */
export function labelMove(story: Pick<Understanding, 'move' | 'headline' | 'deal' | 'people' | 'openings'>): string {
  const { move, headline, deal, people, openings } = story;
  if (move === 'deals') return DEAL_LABELS[deal?.type ?? ''] ?? 'Deal';
  if (move === 'people') return PEOPLE_LABELS[people[0]?.direction ?? (LEAVING.test(headline) ? 'left' : 'joined')];
  if (move === 'stores') {
    const status = openings[0]?.status;
    return status === 'closed'
      ? 'Store closure'
      : status === 'planned' || status === 'announced'
        ? 'Store plans'
        : 'Store opening';
  }
  return LABELS[move].find(([, form]) => form.test(headline))?.[0] ?? 'Move';
}

/** The kind of move weighs less than a word of the headline, and more than a single word of the summary. */
const MOVE_WEIGHT = 1;

/**
 * Chooses the theme whose words are in the text; the headline weighs more than the summary.
 * @param categories of the primary brands: they break ties, and decide where no words are found
 * @param move the kind of move, which some themes are for
 * @returns null when no theme has a word, a category or the kind of move in common with the item
 */
export function chooseTheme(
  reading: Reading,
  categories: readonly Category[],
  catalogue: PreparedCatalogue,
  move?: Move,
): { slug: string; name: string } | null {
  const scores = new Map<string, number>();
  const add = (slug: string, score: number): void => void scores.set(slug, (scores.get(slug) ?? 0) + score);
  for (const theme of catalogue.catalogue.themes) {
    if (theme.categories.some((category) => categories.includes(category))) add(theme.slug, 1.5);
    if (move && theme.moves?.includes(move)) add(theme.slug, MOVE_WEIGHT);
  }
  for (const [text, weight] of [
    [reading.title.folded, 1],
    [reading.summary.folded.slice(0, 500), 0.4],
  ] as const)
    for (const key of new Set(catalogue.themeWords.matchInText(text).map((match) => match.keyword)))
      for (const slug of catalogue.themesOf.get(key) ?? []) add(slug, weight * (1.5 + key.length / 20));
  let best: { slug: string; name: string } | null = null;
  let most = 0;
  for (const theme of catalogue.catalogue.themes) {
    const score = scores.get(theme.slug) ?? 0;
    if (score > most && !isRetired(theme, reading.item)) {
      most = score;
      best = { slug: theme.slug, name: theme.name };
    }
  }
  return best;
}
