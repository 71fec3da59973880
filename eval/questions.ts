/** The project's own questions over the demo newsroom. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const Found = z.strictObject({
  ask: z.string(),
  /** Events of which one must be cited, as the newsroom names them. */
  events: z.array(z.string()).min(1),
  /** Each of the events must be cited. */
  all: z.boolean().default(false),
});
const Counted = z.strictObject({
  ask: z.string(),
  /** What each event adds to the figure. */
  sum: z.record(z.string(), z.number()),
  /** Only events of the last so many days count. */
  days: z.number().optional(),
  /** The name with which the direct answer begins. */
  first: z.string().optional(),
});

const Questions = z.strictObject({
  found: z.array(Found),
  counted: z.array(Counted),
  unanswerable: z.array(z.string()),
});
export type Questions = z.infer<typeof Questions>;
export type FoundQuestion = z.infer<typeof Found>;
export type CountedQuestion = z.infer<typeof Counted>;

/** Reads them. @throws ZodError naming what is wrong in the file */
export const readQuestions = (): Questions =>
  Questions.parse(parse(readFileSync(new URL('questions.yaml', import.meta.url), 'utf8')));
