/** Facts of labelled items as examples for the model of confidence (`ingest/understand/facts/confidence.ts`), and its training. */
import {
  type ConfidenceModel,
  type FactKind,
  type FactSigns,
  type Judged,
  weighedSigns,
} from '../ingest/understand/facts/confidence.ts';
import type { Verdict } from '../ingest/understand/understand-item.ts';
import { formatVerdict } from '../ingest/understand/understander.ts';
import { type LabelledItem, Labels } from './labelled-items.ts';
import { compareItem } from './scoring.ts';
import { trainSoftmax } from './train-understanding.ts';

/** A fact that the rules proposed for a labelled item, and whether it is right. */
export interface FactExample {
  readonly day: string;
  readonly kind: FactKind;
  readonly signs: FactSigns;
  readonly isRight: boolean;
}

const NO_FACTS = { people: [], openings: [], deal: null, result: null };

/** The fact as the only one of its kind. */
const fieldOf = ({ kind, fact }: Judged<unknown>): Record<string, unknown> =>
  kind === 'people' || kind === 'openings' ? { [kind]: [fact] } : { [kind === 'deals' ? 'deal' : 'result']: fact };

/**
 * Compares the facts that the rules proposed for an item with its labels. Facts of an item that is noise are wrong; of an
 * item taken for noise nothing is published, so it has no examples. Of several results only the first is labelled.
 * @param verdict by models that did not see the item, without a model of confidence
 */
export function factExamples(item: LabelledItem, verdict: Verdict): FactExample[] {
  if (!verdict.relevant) return [];
  const first = verdict.facts.find(({ kind }) => kind === 'results');
  return verdict.facts
    .filter((judged) => judged.kind !== 'results' || judged === first)
    .flatMap((judged) => {
      const alone = { ...verdict, understanding: { ...verdict.understanding, ...NO_FACTS, ...fieldOf(judged) } };
      const said = Labels.parse(formatVerdict(item.key, alone, false));
      const compared = compareItem(item, said).find(({ figure }) => figure === `published_${judged.kind}`);
      const [key] = compared?.said ?? [];
      if (key === undefined) return [];
      const isRight = item.relevant && compared?.wanted.includes(key) === true;
      return { day: item.date ?? '', kind: judged.kind, signs: judged.signs, isRight };
    });
}

/** With fewer examples a model would be worse than none. */
const MIN_EXAMPLES = 100;
/** A sign of fewer examples is dropped. */
const AT_LEAST = 6;
/** Chosen by the likelihood of weeks left out. */
const RIDGE = 6;

/** Trains the model of confidence. Deterministic. @returns null when there are too few examples */
export function trainConfidence(examples: readonly FactExample[]): ConfidenceModel | null {
  if (examples.length < MIN_EXAMPLES) return null;
  const { bias, features } = trainSoftmax(
    examples.map(({ kind, signs, isRight }) => ({
      features: weighedSigns(kind, signs),
      label: isRight ? 'right' : 'wrong',
    })),
    ['wrong', 'right'],
    { ridge: RIDGE, steps: 600, atLeast: AT_LEAST },
  );
  const difference = ([wrong = 0, right = 0]: readonly number[]): number => Math.round((right - wrong) * 1000) / 1000;
  return {
    bias: difference(bias),
    weights: Object.fromEntries(Object.entries(features).map(([name, row]) => [name, difference(row)])),
  };
}
