/** Evidence that says different things: maximal marginal relevance over the words of headlines. */
import type { Evidence } from '../evidence.ts';
import { stemsOf } from '../question/words.ts';

/** How much being relevant counts beside being different. */
const RELEVANCE = 0.7;

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared === 0 ? 0 : shared / (one.size + other.size - shared);
}

/**
 * Chooses up to `most`, each the best of what is left when likeness to those chosen counts against it.
 * @param ranked the most relevant first
 */
export function diverse(ranked: readonly Evidence[], most: number): Evidence[] {
  const left = ranked.map((evidence, index) => ({
    evidence,
    words: stemsOf(evidence.signal.headline),
    relevance: 1 - index / Math.max(1, ranked.length),
    nearest: 0,
  }));
  const chosen: Evidence[] = [];
  while (chosen.length < most && left.length > 0) {
    const score = (one: (typeof left)[number]): number => RELEVANCE * one.relevance - (1 - RELEVANCE) * one.nearest;
    const best = left.reduce((first, next) => (score(next) > score(first) ? next : first));
    left.splice(left.indexOf(best), 1);
    chosen.push(best.evidence);
    for (const one of left) one.nearest = Math.max(one.nearest, likeness(one.words, best.words));
  }
  return chosen;
}
