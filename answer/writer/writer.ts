/** The port of a model that words answers. */
export interface GivenSignal {
  readonly id: string;
  /** IST day on which it moved, as it is told to people. */
  readonly day: string;
  readonly outlet: string | null;
  readonly text: string;
}

export interface WrittenSentence {
  readonly text: string;
  /** Ids of signals that the sentence stands on. */
  readonly ids: readonly string[];
}

export interface Written {
  readonly sentences: readonly WrittenSentence[];
  readonly cost_usd: number;
}

export interface Writer {
  /** Sentences that answer a question from the signals given; null when the provider fails, is slow or over budget. */
  write(question: string, signals: readonly GivenSignal[]): Promise<Written | null>;
}
