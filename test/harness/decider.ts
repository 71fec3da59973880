/** Specifications of deciders: given events, when a command is decided, then events. */
import { expect } from 'vitest';
import type { KnownEvent } from '../../schemas/events.ts';

/** An event in a specification; omitted fields may have any value. */
export interface ExpectedEvent {
  readonly type: KnownEvent['type'];
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The expectation of one decision. */
export interface Outcome {
  /** These events and no others, in this order. @returns the events */
  then(...expected: readonly ExpectedEvent[]): readonly KnownEvent[];
  thenNothing(): void;
  /** @param error what `toThrow` takes */
  thenRefuses(error: string | RegExp | (new (...values: never[]) => Error)): void;
}

/**
 * Makes specifications of one aggregate.
 * @param fold the state that events lead to
 */
export const specify = <State>(fold: (events: readonly KnownEvent[]) => State) => ({
  given: (...events: readonly KnownEvent[]) => ({
    when(decide: (state: State) => readonly KnownEvent[]): Outcome {
      const decided = (): readonly KnownEvent[] => decide(fold(events));
      return {
        // biome-ignore lint/suspicious/noThenProperty: it reads given, when, then; an outcome is never awaited
        then(...expected) {
          const found = decided();
          expect(found.map(({ type }) => type)).toEqual(expected.map(({ type }) => type));
          expect(found).toMatchObject(expected);
          return found;
        },
        thenNothing: () => expect(decided()).toEqual([]),
        thenRefuses: (error) => expect(decided).toThrow(error),
      };
    },
  }),
});
