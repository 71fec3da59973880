/**
 * How sure a fact is. The rules propose a fact together with the signs that speak for or against it; a small logistic
 * model, trained on labelled items, turns the signs into the probability that the fact is right. A fact below the
 * threshold of its kind is absent. The signs are few on purpose: with weeks left out, most that were tried (a provisional
 * company, other companies in the headline, the distance of figure and metric, agreement of headline and summary, a foreign
 * company, the kind of deal) made the probabilities worse.
 */
import type { FactKindName } from '../schemas/facts.ts';
import weights from './confidence.json' with { type: 'json' };

/** Signs by name, each with its strength from -1 to 1; 1 for one that is simply there. An absent sign has none. */
export type Signs = Readonly<Record<string, number>>;

/** A fact that the rules read, with the signs that are particular to it. */
export interface Proposed<Fact> {
  readonly fact: Fact;
  readonly signs: Signs;
}

/** All signs of a fact: those of its item, which facts of every kind have, and its own. */
export interface FactSigns {
  readonly item: Signs;
  readonly own: Signs;
}

/** The weights of signs: `relevance` for facts of every kind, `deals: stake sale` for those of one, `deals` for the kind itself. */
export interface ConfidenceModel {
  readonly bias: number;
  readonly weights: Readonly<Record<string, number>>;
}

export const SHIPPED_CONFIDENCE: ConfidenceModel = weights;

/** A fact with its confidence. */
export interface Judged<Fact> {
  readonly fact: Fact;
  readonly kind: FactKindName;
  readonly signs: FactSigns;
  /** From 0 to 1; 1 where no model judged. */
  readonly confidence: number;
  readonly isPublished: boolean;
}

/** Only signs that are there, as a record: `signsOf({ amount: true, provisional: false })`. */
export const signsOf = (signs: Readonly<Record<string, boolean | number>>): Signs =>
  Object.fromEntries(Object.entries(signs).flatMap(([name, value]) => (value ? [[name, Number(value)]] : [])));

/** A probability as a sign: 0 for one half, 1 or -1 for near certainty. */
export const asSign = (probability: number): number =>
  Math.max(-1, Math.min(1, Math.log(Math.max(probability, 1e-6) / Math.max(1 - probability, 1e-6)) / 5));

/** What the model weighs: the kind, the signs of the item, and the fact's own signs under its kind. */
export function weighedSigns(kind: FactKindName, { item, own }: FactSigns): Map<string, number> {
  const weighed = new Map([[kind as string, 1], ...Object.entries(item)]);
  for (const [name, strength] of Object.entries(own)) weighed.set(`${kind}: ${name}`, strength);
  return weighed;
}

/** The probability that a fact with these signs is right. */
export const confidenceIn = (model: ConfidenceModel, kind: FactKindName, signs: FactSigns): number =>
  probabilityOf(model, weighedSigns(kind, signs));

/** The probability that weighed signs speak for. */
export function probabilityOf({ bias, weights }: ConfidenceModel, signs: ReadonlyMap<string, number>): number {
  let sum = bias;
  for (const [name, strength] of signs) sum += strength * (weights[name] ?? 0);
  return 1 / (1 + Math.exp(-sum));
}

/**
 * Judges proposed facts of one kind.
 * @param model null publishes everything, for training
 * @param item the signs of the item
 * @param least the confidence from which on a fact is published
 * @param isDoubtful the item may be no move at all: with a model, nothing is published
 */
export const judgeFacts = <Fact>(
  model: ConfidenceModel | null,
  kind: FactKindName,
  item: Signs,
  proposed: readonly Proposed<Fact>[],
  least: number,
  isDoubtful = false,
): Judged<Fact>[] =>
  proposed.map(({ fact, signs: own }) => {
    const signs = { item, own };
    const confidence = model ? confidenceIn(model, kind, signs) : 1;
    return {
      fact,
      signs,
      kind,
      confidence,
      isPublished: !model || (!isDoubtful && confidence >= least),
    };
  });

/** The signs that weigh most for a fact, and those that weigh most against it, in words, such as `relevance +1.2`. */
export function strongestSigns(model: ConfidenceModel, { kind, signs }: Judged<unknown>, count = 4): string[] {
  const pulls = [...weighedSigns(kind, signs)].map(([name, strength]) => ({
    name,
    pull: strength * (model.weights[name] ?? 0),
  }));
  return pulls
    .filter(({ pull }) => Math.abs(pull) >= 0.05)
    .sort((one, other) => Math.abs(other.pull) - Math.abs(one.pull))
    .slice(0, count)
    .map(({ name, pull }) => `${name} ${pull > 0 ? '+' : '−'}${Math.abs(pull).toFixed(1)}`);
}
