/** The catalogue as files: exported and imported as YAML; and stories understood again by what changed. */
import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { readCatalogueFile } from '../facts/text/catalogue.ts';
import { changeCatalogue, loadHistory } from '../ingest/catalogue/catalogue-commands.ts';
import { describeImport, exportCatalogue, planImport } from '../ingest/catalogue/catalogue-file.ts';
import { loadUnderstood, understandAgain } from '../ingest/catalogue/understand-again.ts';
import { ITEMS } from '../schemas/poll.ts';
import { STORIES } from '../schemas/story.ts';
import { TextFile } from './fields.ts';
import { defineOperatorAction, defineTerminalAction, type TerminalContext } from './operator-action.ts';
import { Stopped } from './operator-errors.ts';
import { oneLine } from './terminal-text.ts';

export const exportFile = defineTerminalAction({
  name: 'export',
  summary: 'write the catalogue in use as YAML',
  input: z.object({ file: z.string().optional().describe('default: standard output') }),
  positional: ['file'],
  audit: 'nothing',
  async run({ file }, context) {
    const { store, now } = context;
    const { state } = await loadHistory({ store, shipped: (await context.catalogue()).shipped });
    const text = exportCatalogue(state.catalogue, now().toISOString());
    if (file) await writeFile(file, text);
    return { file: file ?? null, text };
  },
  text: ({ file, text }) => (file === null ? text.trimEnd() : `wrote ${file}`),
});

export const importFile = defineOperatorAction({
  name: 'import',
  summary: 'import a file as changes; exit code 1 when entries are in conflict, which stay as they are here',
  input: z.object({
    file: TextFile.meta({
      description: 'YAML as export writes it, or a file of deploy/catalogue',
      label: 'YAML, as text',
      isLong: true,
    }),
    dry: z.boolean().default(false).describe('only say what would change'),
    theirs: z.boolean().default(false).describe('the file counts also where an entry was changed here'),
  }),
  positional: ['file'],
  audit: 'events',
  reason: 'on pages',
  seenIn: ['catalogue'],
  async run({ file, dry, theirs }, context) {
    const { store, now } = context;
    const { shipped } = await context.catalogue();
    const content = readCatalogueFile(file.name, file.text);
    const author = context.author(`imported from ${file.name}`);
    const { entries, same } = dry
      ? planImport(await loadHistory({ store, shipped }), content, author, { theirs })
      : await changeCatalogue({ store, shipped, now }, (history) => planImport(history, content, author, { theirs }));
    return { entries, same, dry };
  },
  json: ({ entries, same }) => ({ entries, same }),
  text: ({ entries, same, dry }) =>
    [
      ...entries.map((one) => `${one.outcome.padEnd(9)} ${one.kind} ${one.slug}: ${oneLine(one.text, 300)}`),
      `${dry ? 'would be: ' : ''}${describeImport({ entries, same })}`,
    ].join('\n'),
  exitCode: ({ entries }) => (entries.some(({ outcome }) => outcome === 'conflict') ? 1 : 0),
});

const PHASES: Readonly<Record<string, string>> = {
  search: 'finding items with affected names',
  history: 'finding their stories',
  items: 'understanding items',
  signals: 'comparing stories',
  stories: 'queuing new moves',
};

async function understand({ store, topics, logger, signal, now, ...context }: TerminalContext) {
  const show = context.progress('catalogue', 'done');
  try {
    const outcome = await understandAgain({
      catalogue: await context.catalogue(),
      understander: await context.understander(),
      store,
      items: topics.topic(ITEMS),
      stories: topics.topic(STORIES),
      logger,
      signal,
      clock: now,
      onProgress: ({ phase, done, total }) => show(PHASES[phase] ?? phase, done, total),
    });
    return { through: (await loadUnderstood(store)).through, outcome };
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Stopped('stopped; what was appended stays, and the next run does the rest');
  }
}

export const understandNow = defineTerminalAction({
  name: 'understand',
  summary: 'understand the stories that changes affect now, with progress, instead of in the background',
  input: z.object({}),
  audit: 'nothing',
  run: (_, context) => understand(context),
  json: ({ through, outcome }) => ({ through, ...outcome }),
  text({ through, outcome }) {
    if (!outcome) return `nothing to do: stories are understood by all ${through} changes`;
    const appended = Object.values(outcome.appended).reduce((sum, many) => sum + many, 0);
    return `${outcome.signals} stories compared, ${outcome.stories} new moves queued, ${appended} events appended`;
  },
});
