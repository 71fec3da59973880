/** Words brought to one form, so that `opens`, `opened` and `opening` are learnt as one. */

const IRREGULAR: Readonly<Record<string, string>> = {
  bought: 'buy',
  sold: 'sell',
  rose: 'ris',
  risen: 'ris',
  fell: 'fall',
  fallen: 'fall',
  grew: 'grow',
  grown: 'grow',
  took: 'tak',
  taken: 'tak',
  left: 'leav',
  gave: 'giv',
  given: 'giv',
  got: 'get',
  gets: 'get',
  brought: 'bring',
  built: 'build',
  went: 'go',
  goes: 'go',
  made: 'mak',
  said: 'say',
  says: 'say',
  told: 'tell',
  led: 'lead',
  lost: 'los',
  loses: 'los',
  paid: 'pay',
  won: 'win',
  held: 'hold',
  met: 'meet',
  began: 'begin',
  ran: 'run',
  running: 'run',
  cut: 'cut',
  cutting: 'cut',
  shutting: 'shut',
  quitting: 'quit',
  stores: 'store',
  cafes: 'cafe',
  shoes: 'shoe',
};

const MOST = 20_000;
const known = new Map<string, string>();

/** The stem of a folded word: endings of number, tense and person cut off. Crude, but the same each time. */
export function stem(word: string): string {
  const before = known.get(word);
  if (before !== undefined) return before;
  if (known.size >= MOST) known.clear();
  const found = stemOf(word);
  known.set(word, found);
  return found;
}

function stemOf(word: string): string {
  const irregular = Object.hasOwn(IRREGULAR, word) ? IRREGULAR[word] : undefined;
  if (irregular) return irregular;
  const size = word.length;
  if (size < 4 || /[^a-z]/.test(word)) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.endsWith('ied')) return `${word.slice(0, -3)}y`;
  let cut = word;
  if (word.endsWith('ing') && size > 5) cut = undouble(word.slice(0, -3));
  else if (word.endsWith('ed') && size > 4) cut = undouble(word.slice(0, -2));
  else if (/(?:ss|us|is)$/.test(word)) return word;
  else if (/(?:sh|ch|x|ss|z)es$/.test(word)) cut = word.slice(0, -2);
  else if (word.endsWith('s')) cut = word.slice(0, -1);
  return cut.length > 3 && cut.endsWith('e') && cut !== 'store' && cut !== 'cafe' && cut !== 'shoe'
    ? cut.slice(0, -1)
    : cut;
}

/** `planning` is `plan`. */
const undouble = (word: string): string => (/([bdgmnprt])\1$/.test(word) ? word.slice(0, -1) : word);
