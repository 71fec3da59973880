/** Specifications of deciders: given events, when a command is decided, then events. */
import { expect } from 'vitest';
import type { KnownEvent } from '../../schemas/events.ts';

/** An event in a specification; omitted fields may have any value. */
export interface ExpectedEvent {
  readonly type: KnownEvent['type'];
  readonly data?: Readonly<Record<string, unknown>>;
}

/** What is decided: an event, or what becomes one when it gets an id and a time. */
type Fact = Pick<KnownEvent, 'type' | 'data'>;

/** The expectation of one decision. */
export interface Outcome<Decided extends Fact = KnownEvent> {
  /** These events and no others, in this order. @returns the events */
  then(...expected: readonly ExpectedEvent[]): readonly Decided[];
  thenNothing(): void;
  /** @param error what `toThrow` takes, or fields that the error has */
  thenRefuses(error: string | RegExp | (new (...values: never[]) => Error) | { readonly code: string }): void;
}

/**
 * Makes specifications of one aggregate.
 * @param fold the state that events lead to
 */
export const specify = <State, Decided extends Fact = KnownEvent>(fold: (events: readonly Decided[]) => State) => ({
  given: (...events: readonly Decided[]) => ({
    when(decide: (state: State) => readonly Decided[]): Outcome<Decided> {
      const decided = (): readonly Decided[] => decide(fold(events));
      return {
        // biome-ignore lint/suspicious/noThenProperty: it reads given, when, then; an outcome is never awaited
        then(...expected) {
          const found = decided();
          expect(found.map(({ type }) => type)).toEqual(expected.map(({ type }) => type));
          expect(found).toMatchObject(expected);
          return found;
        },
        thenNothing: () => expect(decided()).toEqual([]),
        thenRefuses: (error) =>
          expect(decided).toThrow(
            typeof error === 'object' && 'code' in error ? expect.objectContaining(error) : error,
          ),
      };
    },
  }),
});
