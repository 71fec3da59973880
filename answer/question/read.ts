/** A question as it was understood. */
import type { PreparedCatalogue } from '../../ingest/understand/catalogue.ts';
import { tokenise } from '../../ingest/understand/tokens.ts';
import { MOVES, type Move } from '../../schemas/scalar.ts';
import { type Intent, readIntent } from './intent.ts';
import { moveWords } from './moves.ts';
import { type Named, readSubject, type Subject } from './subject.ts';
import { type Period, readPeriod } from './times.ts';
import { isFull } from './words.ts';

export interface Question extends Subject {
  readonly text: string;
  readonly period: Period | null;
  readonly moves: readonly Move[];
  readonly intent: Intent;
  /** Words that none of the above understood, folded; evidence has to meet them. */
  readonly rest: readonly string[];
  /** Runs of capitalised words that nothing knows: perhaps a name that only the record has. */
  readonly unknown: readonly Named[];
}

interface Place {
  readonly start: number;
  readonly end: number;
}
const inside = (place: Place, { start, end }: Place): boolean => place.start < end && start < place.end;

/**
 * Reads a question. Pure.
 * @param known names besides those of the catalogue, found in the record
 */
export function readQuestion(
  text: string,
  catalogue: PreparedCatalogue,
  now: Date,
  known: readonly (Named & { readonly type: 'brand' | 'city' | 'theme' })[] = [],
): Question {
  const period = readPeriod(text, now);
  const listed = readSubject(text, catalogue);
  // A name of several words that the record has is surer than a shorter one inside it.
  const free = (span: Named): boolean =>
    !known.some((other) => inside(span, other) && other.end - other.start > span.end - span.start);
  const of = (type: 'brand' | 'city' | 'theme', own: readonly Named[]): Named[] => {
    const kept = own.filter(free);
    const added = known.filter((one) => one.type === type && ![...kept].some((span) => inside(span, one)));
    return [...kept, ...added].filter(({ slug }, at, all) => all.findIndex((one) => one.slug === slug) === at);
  };
  const subject: Subject = {
    brands: of('brand', listed.brands),
    cities: of('city', listed.cities),
    themes: of('theme', listed.themes),
    categories: listed.categories.filter(free),
  };
  const names = [...subject.brands, ...subject.cities, ...subject.themes, ...subject.categories];
  const taken: Place[] = [...names, ...(period ? [period] : [])];
  const words = moveWords(text).filter((word) => !taken.some((place) => inside(word, place)));
  const { tokens } = tokenise(text);
  const left = tokens.filter((token) => !taken.some((place) => inside(token, place)));
  const rest = left
    .filter((token) => isFull(token.fold) && !words.some((word) => inside(token, word)))
    .map(({ fold }) => fold);
  return {
    text,
    ...subject,
    period,
    moves: MOVES.filter((move) => words.some((word) => word.move === move)),
    intent: readIntent(text),
    rest: [...new Set(rest)],
    unknown: unknownNames(
      text,
      left.filter((token) => !words.some((word) => inside(token, word))),
    ),
  };
}

function unknownNames(text: string, tokens: readonly ReturnType<typeof tokenise>['tokens'][number][]): Named[] {
  const runs: { start: number; end: number; last: number }[] = [];
  for (const token of tokens) {
    // The first word of a question has its capital from its place.
    if (!isFull(token.fold) || (!token.capital && !/^\p{Ll}{4,}$/u.test(token.text))) continue;
    const run = runs.at(-1);
    if (run && token.capital && token.index === run.last + 1) Object.assign(run, { end: token.end, last: token.index });
    else runs.push({ start: token.start, end: token.end, last: token.index });
  }
  return runs.map(({ start, end }) => ({ slug: '', name: text.slice(start, end), start, end }));
}
