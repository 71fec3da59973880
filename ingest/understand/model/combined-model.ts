/**
 * What the linear models and the encoder say together. Their log-odds are weighted and added (a logistic opinion pool), with
 * weights fitted on weeks that neither had seen in training; without the encoder the linear models decide alone.
 */
import type { EncodedItem } from '../encoder/item-encoder.ts';
import weights from './combination.json' with { type: 'json' };
import type { Scored } from './linear-model.ts';

/** The opinions on one question, as probabilities. */
export interface Opinions {
  readonly linear: Scored;
  /** Null without an encoder. */
  readonly encoder: Scored | null;
  /** What counts. */
  readonly combined: Scored;
}

/** Log-probabilities are cut here, so that one model's certainty never makes the other's opinion void. */
const SMALLEST = 1e-6;

/** From scores that are logarithms, up to a constant, of probabilities. */
function fromLogs(logs: Readonly<Record<string, number>>): Scored {
  const top = Math.max(...Object.values(logs));
  const powers = Object.entries(logs).map(([name, log]) => [name, Math.exp(log - top)] as const);
  const total = powers.reduce((sum, [, power]) => sum + power, 0);
  const best = powers.reduce((left, right) => (right[1] > left[1] ? right : left), ['', -1] as readonly [
    string,
    number,
  ]);
  return { probabilities: Object.fromEntries(powers.map(([name, power]) => [name, power / total])), best: best[0] };
}

/** Adds up two opinions on the same classes. */
function pool(
  linear: Scored,
  encoder: Scored,
  weight: { readonly linear: number; readonly encoder: number },
  bias: Readonly<Record<string, number>> = {},
): Scored {
  const log = (scored: Scored, name: string): number => Math.log(Math.max(SMALLEST, scored.probabilities[name] ?? 0));
  return fromLogs(
    Object.fromEntries(
      Object.keys(linear.probabilities).map((name) => [
        name,
        weight.linear * log(linear, name) + weight.encoder * log(encoder, name) + (bias[name] ?? 0),
      ]),
    ),
  );
}

/** Relevance: classes `relevant` and `noise`. */
export function combineRelevance(linear: Scored, encoded: EncodedItem | null): Opinions {
  if (!encoded) return { linear, encoder: null, combined: linear };
  const encoder = fromLogs({ relevant: encoded.relevance, noise: 0 });
  return { linear, encoder, combined: pool(linear, encoder, weights.relevance, { relevant: weights.relevance.bias }) };
}

/** The kind of move: one class per kind. */
export function combineMove(linear: Scored, encoded: EncodedItem | null): Opinions {
  if (!encoded) return { linear, encoder: null, combined: linear };
  const encoder = fromLogs(encoded.move);
  return { linear, encoder, combined: pool(linear, encoder, weights.move) };
}

/** What each model says of a class, in words: `features 83 %, encoder 95 %, together 92 %`. */
export function describeOpinions({ linear, encoder, combined }: Opinions, name: string): string {
  const percent = (scored: Scored): string => `${Math.round((scored.probabilities[name] ?? 0) * 100)} %`;
  return encoder
    ? `features ${percent(linear)}, encoder ${percent(encoder)}, together ${percent(combined)}`
    : `features ${percent(linear)}, no encoder`;
}
