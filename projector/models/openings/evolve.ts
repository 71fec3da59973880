/** What is kept of a text that tells of stores: each opening, planned opening and closure. */
import type { Opening, Understanding } from '../../../schemas/story.ts';
import { evolveTold, slugIn } from '../told.ts';

/** An opening, with the slug of its brand where the text names the brand. */
export interface OpeningPart extends Opening {
  readonly brand_slug: string | null;
}

/** The openings of a text. */
export const openingParts = (text: Understanding): OpeningPart[] =>
  text.openings.map((opening) => ({ ...opening, brand_slug: slugIn(text, opening.brand) }));

export const evolveOpenings = evolveTold(openingParts);
