/** Names as people type them: found by exact words, by their beginning, or despite a slip of spelling. Pure. */

/** A thing and all names that it goes by; the first is its own. */
export interface Named<Thing> {
  readonly thing: Thing;
  readonly names: readonly string[];
}

/** What a name means; on a miss the names that are nearest to it, the nearest first, at most 5. */
export type Finding<Found> =
  | { readonly found: Found; readonly nearest?: never }
  | { readonly found: null; readonly nearest: readonly string[] };

export interface NameIndex<Thing> {
  /** The one thing that goes by exactly this name, whatever its case, accents and spaces; else null. */
  exact(name: string): Thing | null;
  find(name: string, among?: (thing: Thing) => boolean): Finding<Thing>;
}

const NEAREST = 5;
/** Longer text than any name; what follows is not read. */
const LONGEST = 120;
const LEGAL_FORM = /(?: (?:limited|ltd|private|pvt|llp|inc|corp|corporation|plc|india pvt|company|co))+$/;

/** Lower case without accents, marks and legal forms: `Nestlé India Ltd.` is `nestle india`. */
export const foldName = (name: string): string =>
  name
    .slice(0, LONGEST)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'’`]/g, '')
    .toLowerCase()
    .replace(/&/g, ' and ')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()
    .replace(LEGAL_FORM, '');

const compact = (folded: string): string => folded.replaceAll(' ', '');

/**
 * Letters that must be added, dropped, changed or swapped to make one word of another; stops counting above `maximum`.
 */
export function slips(one: string, other: string, maximum: number): number {
  if (Math.abs(one.length - other.length) > maximum) return maximum + 1;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const changed = (last[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
          ? (before[j - 2] ?? 0) + 1
          : maximum + 1;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed, swapped));
    }
    if (Math.min(...row) > maximum) return maximum + 1;
    [before, last] = [last, row];
  }
  return last[other.length] ?? maximum + 1;
}

/** So many slips are forgiven in a name of a length; short names are too like each other. */
const forgiven = (length: number): number => (length < 5 ? 0 : length < 8 ? 1 : 2);
/** A name of this length may lack one letter other than its first: `zudo` for `zudio`. */
const SHORTENED = 4;

const pairsOf = (text: string): Set<string> => {
  const pairs = new Set<string>();
  for (let at = -1; at < text.length; at++) pairs.add(` ${text} `.slice(at + 1, at + 3));
  return pairs;
};

/** How alike two names are, from 0 to 1: pairs of letters that both have. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const pair of one) if (other.has(pair)) shared += 1;
  return (2 * shared) / (one.size + other.size);
}

interface Form<Thing> {
  readonly thing: Thing;
  readonly own: string;
  readonly folded: string;
  readonly compact: string;
  readonly pairs: ReadonlySet<string>;
}

/**
 * Indexes things by their names. The first rule that one thing alone meets decides: the same words; the same letters
 * whatever the spaces; a name that begins with these words; one that holds all of them; a slip of spelling.
 */
export function nameIndex<Thing>(things: readonly Named<Thing>[]): NameIndex<Thing> {
  const forms: Form<Thing>[] = things.flatMap(({ thing, names }) =>
    [...new Set(names.map(foldName))].filter(Boolean).map((folded) => ({
      thing,
      own: names[0] ?? '',
      folded,
      compact: compact(folded),
      pairs: pairsOf(folded),
    })),
  );
  return {
    exact(name) {
      const joined = compact(foldName(name));
      const [first, ...others] = new Set(forms.filter((form) => form.compact === joined).map(({ thing }) => thing));
      return first !== undefined && others.length === 0 ? first : null;
    },
    find(name, among = () => true) {
      const folded = foldName(name);
      const joined = compact(folded);
      const candidates = forms.filter(({ thing }) => among(thing));
      const words = folded.split(' ');
      const maximum = forgiven(joined.length);
      const rules: ((form: Form<Thing>) => boolean)[] = [
        (form) => form.folded === folded,
        (form) => form.compact === joined,
        (form) => form.folded.startsWith(`${folded} `),
        (form) => words.every((word) => form.folded.split(' ').includes(word)),
        ...Array.from(
          { length: maximum },
          (_, index) => (form: Form<Thing>) => slips(form.compact, joined, maximum) === index + 1,
        ),
        (form) =>
          joined.length === SHORTENED &&
          form.compact.length === SHORTENED + 1 &&
          form.compact[0] === joined[0] &&
          slips(form.compact, joined, 1) === 1,
      ];
      const several: string[] = [];
      for (const meets of folded ? rules : []) {
        const met = candidates.filter(meets);
        const [first] = met;
        if (first && met.every(({ thing }) => thing === first.thing)) return { found: first.thing };
        several.push(...met.map(({ own }) => own));
        if (several.length > 0) break;
      }
      const pairs = pairsOf(folded);
      const alike = candidates
        .map((form) => ({ own: form.own, likeness: likeness(form.pairs, pairs) }))
        .filter((form) => form.likeness > 0)
        .sort((one, other) => other.likeness - one.likeness || (one.own < other.own ? -1 : 1));
      // Those that meet a rule together come first, the most alike of them before the others.
      const met = new Set(several);
      const ranked = [...alike.filter(({ own }) => met.has(own)), ...alike.filter(({ own }) => !met.has(own))];
      return { found: null, nearest: [...new Set(ranked.map(({ own }) => own))].slice(0, NEAREST) };
    },
  };
}
