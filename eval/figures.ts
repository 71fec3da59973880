/** The committed figures of quality, and what has fallen below them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

const FILE = new URL('figures.json', import.meta.url);
const Figures = z.record(z.string(), z.record(z.string(), z.number()));
export type Section = Record<string, number>;

/** A fall by more than this fails. */
export const MOST_FALL = 0.02;

const read = (): z.infer<typeof Figures> => Figures.parse(JSON.parse(readFileSync(FILE, 'utf8')));

/** The committed figures of a section such as `matching`. */
export const committed = (section: string): Section => read()[section] ?? {};

/** Replaces a section of the committed figures. */
export const commitFigures = (section: string, figures: Section): void =>
  writeFileSync(FILE, `${JSON.stringify({ ...read(), [section]: figures }, null, 2)}\n`);

/** What fell by more than `MOST_FALL`, one line each; a figure that is no longer measured has fallen too. */
export const fallen = (before: Section, now: Section): string[] =>
  Object.entries(before)
    .filter(([name, value]) => !((now[name] ?? Number.NEGATIVE_INFINITY) >= value - MOST_FALL))
    .map(([name, value]) => `${name} fell from ${value} to ${now[name] ?? 'nothing'}`);
