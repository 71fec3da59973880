/** Names of the record that a question names and the catalogue lacks, also when they are spelled differently. */
import { isCommon } from '../../ingest/understand/model/common.ts';
import { tokenise } from '../../ingest/understand/tokens.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import { findNames, namesWritten } from '../../projector/models/names/queries.ts';
import type { Named } from '../question/subject.ts';

export type RecordName = Named & {
  readonly type: 'brand' | 'city' | 'theme';
  /** As the question spells it, where that is not the name itself. */
  readonly spelled: string | null;
};

const LONGEST_NAME = 5;
/** Most names that are looked up by likeness, since each costs a search. */
const MOST_GUESSED = 3;

/** Names of the record that are written in the question; the longest win. */
export async function namesInRecord(database: Queryable, question: string): Promise<RecordName[]> {
  const { tokens } = tokenise(question);
  const places = new Map<string, { start: number; end: number }>();
  for (let first = 0; first < tokens.length; first++)
    for (let last = first; last < Math.min(tokens.length, first + LONGEST_NAME); last++) {
      const words = tokens.slice(first, last + 1);
      if (words.every(({ fold }) => isCommon(fold)) && !(words.every(({ capital }) => capital) && words.length > 1))
        continue;
      const [start, end] = [words[0]?.start ?? 0, words.at(-1)?.end ?? 0];
      const written = question
        .slice(start, end)
        .normalize('NFKD')
        .replace(/[\u0300-\u036f]/g, '')
        .toLowerCase();
      places.set(written, { start, end });
    }
  if (places.size === 0) return [];
  const found = await namesWritten(database, [...places.keys()]);
  return found
    .flatMap(({ folded, ...name }) => {
      const place = places.get(folded);
      return place ? [{ ...name, ...place, spelled: null }] : [];
    })
    .sort((one, other) => other.end - other.start - (one.end - one.start))
    .filter(
      (name, index, all) => !all.slice(0, index).some((other) => name.start < other.end && other.start < name.end),
    );
}

/** Brands and cities that unknown words may mean. */
export async function namesAlike(database: Queryable, unknown: readonly Named[]): Promise<RecordName[]> {
  const guessed = unknown
    .filter(({ name }) => name.length >= 4 && name.split(/\s+/).some((word) => !isCommon(word.toLowerCase())))
    .slice(0, MOST_GUESSED);
  const found = await Promise.all(guessed.map(({ name }) => findNames(database, name, { limit: 5 })));
  return guessed.flatMap(({ name: spelled, start, end }, index) => {
    const best = found[index]?.find(({ type, name }) => type !== 'theme' && isMisspelling(spelled, name));
    return best ? [{ type: best.type, slug: best.slug, name: best.name, start, end, spelled }] : [];
  });
}

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** One slip in a short name, two in a longer one; the first letter is mostly right. */
function isMisspelling(written: string, name: string): boolean {
  const [one, other] = [plain(written), plain(name)];
  const slips = other.length < 5 ? 0 : other.length < 6 && one.length < 6 ? 1 : 2;
  return one[0] === other[0] && Math.abs(one.length - other.length) <= slips && distance(one, other) <= slips;
}

/** Letters that are put in, left out or put in place of another. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (let place = 1; place <= other.length; place++)
      next.push(
        Math.min(
          (next[place - 1] ?? 0) + 1,
          (row[place] ?? 0) + 1,
          (row[place - 1] ?? 0) + (other[place - 1] === letter ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[other.length] ?? 0;
}
