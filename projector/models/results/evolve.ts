/** What is kept of a text that tells a company's figures. */
import type { Result, Understanding } from '../../../schemas/story.ts';
import { evolveTold, slugIn } from '../told.ts';

/** A result, with the slug of its company where the text names the company. */
export interface ResultPart extends Result {
  readonly company_slug: string | null;
}

/** The results of a text, one for each metric that it tells. */
export const resultParts = (text: Understanding): ResultPart[] =>
  [text.result, ...(text.other_results ?? [])].flatMap((one) =>
    one ? [{ ...one, company_slug: slugIn(text, one.company) }] : [],
  );

export const evolveResults = evolveTold(resultParts);
