/**
 * Models by weeks left out: labelled items are put into folds by whole ISO weeks, and the models of a fold are trained on
 * the items of all other folds. So no headline is judged by models that saw its week: outlets repeat each other within one.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { PreparedCatalogue } from '../ingest/understand/catalogue.ts';
import type { Models } from '../ingest/understand/model/linear-model.ts';
import type { LabelledItem } from './labelled-items.ts';
import { trainModels } from './train-understanding.ts';

const FOLDS = 3;
const DAY = 86_400_000;

/** The ISO 8601 week of a date, such as `2026-W24`. @throws RangeError when it is no date */
export function isoWeekOf(date: string): string {
  const day = new Date(`${date.slice(0, 10)}T00:00:00Z`);
  // The week belongs to the year of its Thursday.
  const thursday = new Date(day.getTime() + (4 - (day.getUTCDay() || 7)) * DAY);
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY)) + 1;
  if (Number.isNaN(week)) throw new RangeError(`${JSON.stringify(date)} is no date`);
  return `${year}-W${String(week).padStart(2, '0')}`;
}

/** Puts weeks into folds: in order of time, each into the smallest fold that does not have the week before. */
export function chooseFolds(dates: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const date of dates) counts.set(isoWeekOf(date), (counts.get(isoWeekOf(date)) ?? 0) + 1);
  const sizes = Array.from({ length: FOLDS }, () => 0);
  const folds = new Map<string, number>();
  let last = -1;
  for (const week of [...counts.keys()].sort()) {
    const free = sizes.flatMap((size, fold) => (fold === last ? [] : { size, fold }));
    last = free.reduce((least, one) => (one.size < least.size ? one : least)).fold;
    sizes[last] = (sizes[last] ?? 0) + (counts.get(week) ?? 0);
    folds.set(week, last);
  }
  return folds;
}

/** Reads `folds.json` of a folder of labelled data (`{isoWeek: fold}`), else chooses folds by the dates. */
export function readFolds(folder: string, dates: readonly string[]): ReadonlyMap<string, number> {
  const file = join(folder, 'folds.json');
  if (!existsSync(file)) return chooseFolds(dates);
  return new Map(Object.entries(z.record(z.string(), z.int()).parse(JSON.parse(readFileSync(file, 'utf8')))));
}

/**
 * Trains one pair of models per fold.
 * @param items labelled items; those without a date train all folds
 * @param always items that train every fold, such as the project's own
 * @returns the models for a date: of its week's fold; of a week in no fold, those trained on all items
 */
export function trainByFold(
  items: readonly LabelledItem[],
  always: { readonly own: readonly LabelledItem[]; readonly newsroom: readonly LabelledItem[] },
  folds: ReadonlyMap<string, number>,
  catalogue: PreparedCatalogue,
  onTrained: (done: number, total: number) => void = () => undefined,
): (date: string) => Models {
  const foldOf = (date: string | null): number => (date ? (folds.get(isoWeekOf(date)) ?? -1) : -1);
  const numbers = [...new Set(folds.values()), -1];
  const models = new Map<number, Models>();
  for (const fold of numbers) {
    const others = items.filter(({ date }) => fold === -1 || foldOf(date) !== fold);
    models.set(fold, trainModels([...always.own, ...others], always.newsroom, catalogue));
    onTrained(models.size, numbers.length);
  }
  return (date) => models.get(foldOf(date)) as Models;
}
