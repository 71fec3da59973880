/** Names that only the record has: those written in a question, and those that a question spells otherwise. */
import type { PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { tokenise } from '../../language/tokens.ts';
import { distance, isCommon } from '../../language/words.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import { findNames, namesWritten } from '../../projector/models/names-queries.ts';
import { type BrandSlug, StoredBrandSlug } from '../../schemas/scalar.ts';
import { isEnglish } from './query-names.ts';

/** A name of the record that a question contains, or writes in several words: `supply 6` for Supply6. */
export interface RecordName {
  readonly type: 'brand' | 'city' | 'theme';
  readonly slug: BrandSlug;
  readonly name: string;
  /** As the question writes it, where that is in several words. */
  readonly parted?: string;
}

/** A name of the record that a question spells otherwise. */
export interface GuessedName extends RecordName {
  readonly spelled: string;
}

/** Maps each slug that a brand of the catalogue had before to the one it has; any other slug to itself. */
export function presentSlugs({ catalogue }: PreparedCatalogue): (slug: BrandSlug) => BrandSlug {
  const present = new Map(
    catalogue.brands.flatMap(({ slug, retired_slugs = [] }) =>
      retired_slugs.map((retired) => [retired, slug] as const),
    ),
  );
  return (slug) => present.get(slug) ?? slug;
}

const MAX_RECORD_NAME_WORDS = 5;
/** Maximum of names that are looked up by similarity, since each costs a search. */
const MAX_GUESSED = 4;

/** A shorter word is a slip away from too many names that somebody reported once. */
const SHORTEST_GUESSED = 5;

/** Names of the record that are written in the question; the longest win. */
export async function namesInRecord(database: Queryable, question: string): Promise<RecordName[]> {
  const { tokens } = tokenise(question);
  const places = new Map<string, { start: number; end: number; parted?: string }>();
  for (let first = 0; first < tokens.length; first++)
    for (let last = first; last < Math.min(tokens.length, first + MAX_RECORD_NAME_WORDS); last++) {
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
      const joined = written.replace(/\s+/g, '');
      if (words.length > 1 && words.length < 4 && joined.length > 4 && !places.has(joined))
        places.set(joined, { start, end, parted: question.slice(start, end) });
    }
  if (places.size === 0) return [];
  const matches = await namesWritten(database, [...places.keys()]);
  return matches
    .flatMap(({ folded, type, slug, name }) => {
      const place = places.get(folded);
      return place ? [{ type, slug: StoredBrandSlug.parse(slug), name, ...place }] : [];
    })
    .sort((one, other) => other.end - other.start - (one.end - one.start))
    .filter(
      (name, index, all) => !all.slice(0, index).some((other) => name.start < other.end && other.start < name.end),
    )
    .map(({ type, slug, name, parted }) => ({ type, slug, name, ...(parted ? { parted } : {}) }));
}

/**
 * Brands and cities that unknown names of a question may mean, alone or with the word after them: of `Lemmon Labels` only
 * the first word is strange.
 */
export async function namesAlike(
  database: Queryable,
  question: string,
  unknown: readonly string[],
): Promise<GuessedName[]> {
  const extended = unknown.flatMap((name) => {
    const at = question.toLowerCase().indexOf(name.toLowerCase());
    const next = /^ ([\p{L}\p{N}]{3,})/u.exec(question.slice(at + name.length))?.[1];
    return at < 0 || !next ? [name] : [`${question.slice(at, at + name.length)} ${next}`, name];
  });
  const guessed = extended
    .filter((name) => name.length >= SHORTEST_GUESSED && !name.toLowerCase().split(/\s+/).every(isEnglish))
    .slice(0, MAX_GUESSED);
  const matches = await Promise.all(guessed.map((name) => findNames(database, name, { limit: 5, provisional: true })));
  const names = guessed.flatMap((spelled, index) => {
    const best = matches[index]?.find(({ type, name }) => type !== 'theme' && isMisspelling(spelled, name));
    return best ? [{ type: best.type, slug: StoredBrandSlug.parse(best.slug), name: best.name, spelled }] : [];
  });
  // A longer reading of the same words wins.
  return names.filter(
    ({ spelled }, index) => !names.slice(0, index).some((other) => other.spelled.startsWith(`${spelled} `)),
  );
}

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** One slip in a short name, two in a longer one; the first letter is mostly right. */
function isMisspelling(written: string, name: string): boolean {
  const [one, other] = [plain(written), plain(name)];
  const slips = other.length < 5 ? 0 : other.length < 6 && one.length < 6 ? 1 : 2;
  return one[0] === other[0] && distance(one, other, slips) <= slips;
}
