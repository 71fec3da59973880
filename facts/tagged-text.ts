/**
 * What a second reader says of the facts in a text: the encoder, which learned them from labelled items and shares no rule
 * with the code that reads them. It says how likely each word is a part of a fact, and how likely the text reports one.
 */

/** What a word can be part of, in the order of the weights' output. */
const TAGS = [
  'target',
  'buyer',
  'amount',
  'store_brand',
  'store_city',
  'store_count',
  'company',
  'growth',
  'joined',
  'left',
  'promoted',
  'key_figure',
  'city',
] as const;
export type Tag = (typeof TAGS)[number];

/** What a text can report, in the order of the weights' output; the first of each is nothing. */
const CLASSES = {
  deal: ['none', 'funding', 'acquisition', 'stake_sale', 'ipo', 'jv'],
  stores: ['none', 'open', 'closed'],
  result: ['none', 'up', 'down', 'level'],
} as const;
type ClassName = keyof typeof CLASSES;

/** The number of outputs for a word, and for a text. */
export const TAG_COUNT = TAGS.length;
export const CLASS_COUNT = Object.values(CLASSES).flat().length;

/** A word that is probably part of a fact. */
export interface TaggedWord {
  readonly part: 'title' | 'summary';
  /** Offsets in the part. */
  readonly start: number;
  readonly end: number;
  /** Probabilities by tag, in the order of the weights. */
  readonly tags: readonly number[];
}

/** The texts as the encoder read them, the words that are probably part of a fact, and the probabilities of the classes. */
export interface TextTags {
  readonly title: string;
  readonly summary: string;
  readonly words: readonly TaggedWord[];
  /** In the order of the weights; each class adds up to 1. */
  readonly classes: readonly number[];
}

/** Less likely words are not kept. */
const LEAST_TAG = 0.02;

const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));
const round = (probability: number): number => Math.round(probability * 1000) / 1000;

/** The probabilities of a row of logits by class. */
export function classesOf(logits: ArrayLike<number>): number[] {
  let from = 0;
  return Object.values(CLASSES).flatMap((names) => {
    const powers = names.map((_, index) => Math.exp(logits[from + index] ?? 0));
    from += names.length;
    const total = powers.reduce((sum, power) => sum + power, 0);
    return powers.map((power) => round(power / total));
  });
}

/** The probabilities of a word's tags, from the logits of all tokens; null where none is likely. */
export function tagsOf(logits: ArrayLike<number>, token: number): number[] | null {
  const tags = TAGS.map((_, index) => round(sigmoid(logits[token * TAG_COUNT + index] ?? 0)));
  return tags.some((probability) => probability >= LEAST_TAG) ? tags : null;
}

const fold = (text: string): string => text.replace(/[’‘`]/g, "'").toLowerCase();
const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character);

/** The second reader's opinion of one text. */
export class TaggedText {
  readonly #tags: TextTags;

  constructor(tags: TextTags) {
    this.#tags = tags;
  }

  /** How likely the text reports something of a class, such as `deal`, `funding`. */
  reports<Name extends ClassName>(name: Name, label: (typeof CLASSES)[Name][number]): number {
    let from = 0;
    for (const [each, labels] of Object.entries(CLASSES)) {
      const index = (labels as readonly string[]).indexOf(label);
      if (each === name) return this.#tags.classes[from + index] ?? 0;
      from += labels.length;
    }
    return 0;
  }

  /** How likely no word of the text has a tag. */
  lacks(tag: Tag): number {
    return 1 - Math.max(0, ...this.#tags.words.map(({ tags }) => tags[TAGS.indexOf(tag)] ?? 0));
  }

  /**
   * How likely some words are what a tag says, by the best place where they are written; null where they are not.
   * @param written spellings, such as the name of the catalogue and that of the text
   */
  says(tag: Tag, ...written: readonly string[]): number | null {
    let best: number | null = null;
    for (const part of ['title', 'summary'] as const) {
      const text = fold(this.#tags[part]);
      for (const words of written) {
        const wanted = fold(words);
        for (let at = text.indexOf(wanted); wanted && at >= 0; at = text.indexOf(wanted, at + 1)) {
          if (isWordCharacter(text[at - 1]) || isWordCharacter(text[at + wanted.length])) continue;
          best = Math.max(best ?? 0, this.at(tag, part, at, at + wanted.length));
        }
      }
    }
    return best;
  }

  /** How likely a place in the text has a tag: that of its likeliest word. */
  at(tag: Tag, part: 'title' | 'summary', start: number, end: number): number {
    const inside = this.#tags.words.filter((word) => word.part === part && word.start < end && word.end > start);
    return Math.max(0, ...inside.map(({ tags }) => tags[TAGS.indexOf(tag)] ?? 0));
  }
}
