/**
 * `npm run eval`: measures understanding, matching and answering on the project's own labelled sets, prints the tables,
 * and exits with 1 when a figure fell by more than 0.02 below the committed one (`figures.json`). `npm run eval -- --data DIR`
 * measures a folder of labelled data instead, by weeks left out; see `measure-labelled.ts`. `npm run eval -- ask` measures
 * answers about a recorded month; see `ask/measure-ask.ts`.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const FILE = new URL('figures.json', import.meta.url);
const Figures = z.record(z.string(), z.record(z.string(), z.number()));
export type Section = Record<string, number>;

/** A fall by more than this fails. */
const MAX_FALL = 0.02;

/** What is measured by default. */
const OWN_SETS = ['measure-understanding', 'measure-matching', 'measure-answers'];

const read = (): z.infer<typeof Figures> => Figures.parse(JSON.parse(readFileSync(FILE, 'utf8')));

/** Reads the committed figures of a section such as `matching`. */
export const readCommitted = (section: string): Section => read()[section] ?? {};

/** Replaces a section of the committed figures. */
export const commitFigures = (section: string, figures: Section): void =>
  writeFileSync(FILE, `${JSON.stringify({ ...read(), [section]: figures }, null, 2)}\n`);

/** Lists what fell by more than `MAX_FALL`, one line each; a figure that is no longer measured has fallen too. */
export const listFallen = (before: Section, now: Section): string[] =>
  Object.entries(before)
    .filter(([name, value]) => !((now[name] ?? Number.NEGATIVE_INFINITY) >= value - MAX_FALL))
    .map(([name, value]) => `${name} fell from ${value} to ${now[name] ?? 'nothing'}`);

const HELP = `Usage: npm run eval -- [ask | --data DIR] [options]

Measures quality on the project's own labelled sets: understanding, matching, answers. Exits with 1 when a figure fell by
more than ${MAX_FALL} below eval/figures.json.

  ask          answers about a recorded month: [--wrong] [--json FILE] [--commit]
  --data DIR   a folder of labelled data, by weeks left out: [--errors FILE.html] [--commit]
  --commit     updates the committed figures

eval/README.md explains every metric and file.`;

if (import.meta.main && /^(?:-h|--help)$/.test(process.argv[2] ?? '')) console.log(HELP);
else if (import.meta.main) {
  let failed = false;
  const asks = process.argv[2] === 'ask';
  const names = asks ? ['ask/measure-ask'] : process.argv.includes('--data') ? ['measure-labelled'] : OWN_SETS;
  for (const name of names) {
    console.log(`\n${name.replace(/^.*measure-/, '')}`);
    const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
    const { status } = spawnSync(process.execPath, [file, ...process.argv.slice(asks ? 3 : 2)], { stdio: 'inherit' });
    failed ||= status !== 0;
  }
  process.exitCode = failed ? 1 : 0;
}
