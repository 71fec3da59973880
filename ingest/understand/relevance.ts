/** Whether an item is a dated, concrete move in Indian retail or consumer business; rules first, then the model. */
import { score, strongest, type Weights } from './model/linear.ts';
import type { Reading } from './reading.ts';

export interface Relevance {
  readonly relevant: boolean;
  readonly roundup: boolean;
  /** `move`, or why it is none: `roundup`, `glossary`, `not retail or no move`. */
  readonly reason: string;
  /** The features that spoke for it; worked out when asked. */
  readonly words: () => string[];
}

const ROUNDUP =
  /\bround-?up\b|&\s+more$|\bnews and updates\b|startups? raised .{0,30}this week|\bweekly (?:gains|wrap|funding)\b|\btop stories\b|\bweek in review\b|\bnews digest\b|\bmorning brief\b|\bdaily brief/i;
const GLOSSARY = /\bword of the day\b|\bterm of the day\b/i;

/** A digest joins several stories with semicolons or dashes and names none of them as its own. */
const isRoundup = (reading: Reading): boolean =>
  ROUNDUP.test(reading.title.text) ||
  (/\S;\s+\p{Lu}/u.test(reading.title.text) &&
    /^yourstory|newsletter|digest/.test(reading.host + reading.path.join(' ')));

/** @param weights classes `relevant` and `noise` */
export function relevanceOf(reading: Reading, weights: Weights, features: ReadonlyMap<string, number>): Relevance {
  if (isRoundup(reading)) return { relevant: false, roundup: true, reason: 'roundup', words: () => [] };
  if (GLOSSARY.test(reading.item.title))
    return { relevant: false, roundup: false, reason: 'glossary', words: () => [] };
  const scored = score(weights, features);
  const relevant = (scored.probabilities['relevant'] ?? 0) >= 0.5;
  return {
    relevant,
    roundup: false,
    reason: relevant ? 'move' : 'not retail or no move',
    words: () => strongest(weights, features, relevant ? 'relevant' : 'noise'),
  };
}
