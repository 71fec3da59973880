/**
 * What a kind of fact adds to a story: its schema and the fields that hold it. A kind declares this in its folder,
 * `facts/<kind>/fields.ts`; `schemas/facts.ts` joins the kinds.
 */
import type { z } from 'zod';

/** A cell of a fact in words; null and undefined say nothing. */
export type Words = readonly (string | number | null | undefined)[];

export interface StoredFact<Fact extends z.ZodObject, Fields extends z.ZodRawShape, Field extends keyof Fields> {
  /** One fact. */
  readonly schema: Fact;
  /** Fields of a story by their stored names: one fact, null for none; or a list. */
  readonly fields: Fields;
  /** The field that operators correct. Further fields continue it, and are corrected with it. */
  readonly field: Field;
  /** What of a fact counts as a detail where two reports of one event are compared: details of the first fact. */
  details?(fact: z.output<Fact>): unknown;
  /** A fact as the log of corrections words it. */
  words(fact: z.output<Fact>): Words;
}

/** Declares what a kind of fact adds to a story. */
export const storedFact = <Fact extends z.ZodObject, Fields extends z.ZodRawShape, const Field extends keyof Fields>(
  fact: StoredFact<Fact, Fields, Field>,
): StoredFact<Fact, Fields, Field> => fact;
