/** Words that are ordinary words, not names: those that labelled texts write in lower case, listed by the trainer. */
import list from './common.json' with { type: 'json' };
import { topicsOf } from './topics.ts';

const COMMON: ReadonlySet<string> = new Set(list.words);

/** Whether a folded word is an ordinary word. A name made of such words alone needs more to be taken for one. */
export const isCommon = (word: string): boolean =>
  COMMON.has(word) || topicsOf(word).length > 0 || /^\d/.test(word) || word.length === 1;
