/** `clarity labels`: what operators corrected and confirmed, for measuring and training understanding. */
import type { Command } from 'commander';
import { readLabel } from '../../ingest/correct-signals.ts';
import { listDecided } from '../../projector/models/review-queries.ts';
import { preparedModels, type Services, withServices } from '../services.ts';
import { pace, progressBar, writeLines } from '../terminal.ts';

export function addLabels(program: Command): void {
  program
    .command('labels')
    .description('export the decisions of operators as labelled items')
    .command('export')
    .description(
      'write confirmed, corrected and retracted signals as labelled items, JSON Lines, oldest decision first',
    )
    .addHelpText(
      'after',
      `
Each line is the report whose text a signal has, with what an operator found right:
  {key, date, outlet, title, summary, url, relevant, roundup, move, primary, secondary, cities, delta, people,
   openings, deal, result}

A retracted signal is an item that is not relevant. Held, released, split and merged signals are no labels.

Measure and train with them:
  mkdir -p labels && clarity labels export > labels/items.jsonl
  node eval/train-understanding.ts --data labels`,
    )
    .action(() => withServices('labels', exportLabels));
}

const PAGE = 200;

async function exportLabels(services: Services): Promise<void> {
  const { database, store } = services;
  await preparedModels(services);
  const bar = progressBar('labels export', 'signals');
  const advance = pace();
  async function* lines(): AsyncGenerator<string> {
    let done = 0;
    for (let page = await listDecided(database, PAGE); page.length > 0; ) {
      for (const { id } of page) {
        const label = await readLabel(store, id);
        if (label) yield JSON.stringify(label);
      }
      done += page.length;
      bar.show({ ...advance(done, done), phase: 'writing' });
      page = await listDecided(database, PAGE, page.at(-1));
    }
  }
  try {
    await writeLines(lines());
  } finally {
    bar.end();
  }
}
