/** Understanding with all that it has: the encoder where its runtime loads, the linear models and rules everywhere. */
import { messageOf } from '../../log/errors.ts';
import type { ItemVector } from '../../schemas/story.ts';
import type { PreparedCatalogue } from './catalogue.ts';
import { ENCODER, EncoderUnavailable, type ItemEncoder, sharedEncoder } from './encoder/item-encoder.ts';
import { type ConfidenceModel, SHIPPED_CONFIDENCE } from './facts/confidence.ts';
import type { ItemText } from './item-reading.ts';
import { type Models, SHIPPED_MODELS } from './model/linear-model.ts';
import { UNDERSTAND_VERSION, understandItem, type Verdict } from './understand-item.ts';

/** A verdict with the vector and the meaning of the item; null without the encoder. */
export type EncodedVerdict = Verdict & { readonly vector: ItemVector | null; readonly meaning: ItemVector | null };

export interface Understander {
  readonly catalogue: PreparedCatalogue;
  /** The versions of rules, weights and catalogue: what a story was understood by. */
  readonly version: string;
  readonly isEncoded: boolean;
  /** The encoder, for the same understanding with another catalogue; null without one. */
  readonly encode: ItemEncoder | null;
  /** Understands one item; see `understandItem`. */
  understand(item: ItemText, options?: { readonly explain?: boolean }): Promise<EncodedVerdict>;
}

/**
 * @param encode null to understand by the linear models and the rules alone
 * @param models replaces the shipped linear models, for measuring
 * @param confidence replaces the shipped model of facts; null publishes every fact that the rules propose
 */
export const createUnderstander = (
  catalogue: PreparedCatalogue,
  encode: ItemEncoder | null,
  models: Models = SHIPPED_MODELS,
  confidence: ConfidenceModel | null = SHIPPED_CONFIDENCE,
): Understander => ({
  catalogue,
  version: [UNDERSTAND_VERSION, ...(encode ? [ENCODER] : []), catalogue.catalogue.version].join('+'),
  isEncoded: encode !== null,
  encode,
  async understand(item, options = {}) {
    const encoded = encode && (await encode(item));
    return {
      ...understandItem(item, catalogue, { ...options, encoded, models, confidence }),
      vector: encoded?.vector ?? null,
      meaning: encoded?.meaning ?? null,
    };
  },
});

/**
 * Understands with the encoder of the process; without it where the native runtime does not load.
 * @param onUnavailable is called in that case, with the reason
 */
export async function openUnderstander(
  catalogue: PreparedCatalogue,
  onUnavailable: (reason: string) => void,
): Promise<Understander> {
  try {
    return createUnderstander(catalogue, await sharedEncoder());
  } catch (error) {
    if (!(error instanceof EncoderUnavailable)) throw error;
    onUnavailable(messageOf(error));
    return createUnderstander(catalogue, null);
  }
}
