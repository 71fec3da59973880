/** Whether an item is a dated, concrete move in Indian retail and consumer business; plain rules first, then the model. */
import { type Scored, strongest, type Weights } from './model/linear.ts';
import { noiseReason, plainNoise } from './noise.ts';
import type { Reading } from './reading.ts';

export interface Relevance {
  readonly relevant: boolean;
  readonly roundup: boolean;
  /** `move`, or why it is none, such as `opinion` or `no consumer business`. */
  readonly reason: string;
  /** What decided: a rule for plain noise, or the model. */
  readonly rule: 'plain noise' | 'relevance model' | 'clear move';
  /** The words or features that spoke for it; worked out when asked. */
  readonly words: () => string[];
}

/** The model has to be surer than this that an item is noise to drop what has all marks of a move. */
const DOUBT = 0.1;

/**
 * @param weights classes `relevant` and `noise`
 * @param scored what the model with these weights says of the features
 */
export function relevanceOf(
  reading: Reading,
  weights: Weights,
  scored: Scored,
  features: ReadonlyMap<string, number>,
): Relevance {
  const plain = plainNoise(reading);
  if (plain)
    return {
      relevant: false,
      roundup: plain.reason.startsWith('round-up'),
      reason: plain.reason,
      rule: 'plain noise',
      words: () => [plain.words],
    };
  const likely = scored.probabilities.relevant ?? 0;
  const relevant = likely >= 0.5 || (likely >= DOUBT && features.has('clear-deed'));
  return {
    relevant,
    roundup: false,
    reason: relevant ? 'move' : noiseReason(features),
    rule: relevant && likely < 0.5 ? 'clear move' : 'relevance model',
    words: () => strongest(weights, features, relevant ? 'relevant' : 'noise'),
  };
}
