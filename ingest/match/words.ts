/** Words as matching sees them: folded, stemmed, and with the trade's many verbs for one act made one. */
import { SYNONYMS } from './synonyms.ts';

const MAXIMUM_CHARACTERS = 2_000;

/** Lower case, accents and apostrophes removed, `brnd.me` one word. Long text is cut: what tells an event stands first. */
export const fold = (text: string): string =>
  text
    .slice(0, MAXIMUM_CHARACTERS)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'’‘`®™]/g, '')
    .toLowerCase()
    .replace(/&(?:amp|nbsp|quot|#0?39|#8217);/g, ' ')
    .replace(/([a-z])\.\s?(?=(?:me|ai|fit|in|com|co|tv)\b)/g, '$1');

/** A light stem: plurals and the commonest verb endings, so that `stores`, `opening` meet `store`, `opens`. */
export function stem(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word;
  let root = word;
  if (root.endsWith('ies') && root.length > 4) return `${root.slice(0, -3)}y`;
  if (root.endsWith('sses')) return root.slice(0, -2);
  if (root.endsWith('s') && !root.endsWith('ss') && !root.endsWith('us') && !root.endsWith('is'))
    root = root.slice(0, -1);
  if (root.endsWith('ing') && root.length > 6) root = root.slice(0, -3);
  else if (root.endsWith('ed') && root.length > 5) root = root.slice(0, -2);
  return root.length > 4 && root.endsWith('e') ? root.slice(0, -1) : root;
}

/** Words of a text in their order, numbers left out (figures are compared by value elsewhere). */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const raw of fold(text).split(/[^a-z0-9]+/)) {
    if (raw.length < 2 || /^\d+[a-z]{0,3}$/.test(raw)) continue;
    const root = stem(raw);
    words.push(SYNONYMS.get(raw) ?? SYNONYMS.get(root) ?? root);
  }
  return words;
}
