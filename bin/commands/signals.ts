/**
 * `clarity signals`: the history of signals, and the decisions of operators; `clarity labels`: these decisions as
 * labelled items, for measuring and training understanding; `clarity trace`: one item on its way from poll to page.
 */
import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { correctSignal, FIELD_FORMS, readLabel, splitReport, writeField } from '../../ingest/correct-signals.ts';
import {
  confirmSignal,
  type HistoryEntry,
  holdSignal,
  mergeSignal,
  readSignal,
  releaseSignal,
  retractSignal,
  signalHistory,
} from '../../ingest/review-signals.ts';
import { parseBeginning, type Step, traceItem } from '../../ingest/trace.ts';
import { readModels } from '../../projector/models/all-read-models.ts';
import { listDecided } from '../../projector/models/review-queries.ts';
import { countPublished, findSignal, listHeld, listSignals } from '../../projector/models/signals-queries.ts';
import { prepareReadModels } from '../../projector/promote-build.ts';
import { directoryOf } from '../../schemas/directory.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { readMoment } from '../../schemas/parameters.ts';
import { CORRECTABLE, type Correctable } from '../../schemas/signal.ts';
import { UserError } from '../errors.ts';
import { catalogueInUse, preparedModels, type Services, understandingInUse, withServices } from '../services.ts';
import { stopSignal } from '../supervise.ts';
import { oneLine, operatorName, pace, printTable, progressBar, writeLines } from '../terminal.ts';

interface Flags {
  readonly json?: boolean;
  readonly by?: string;
  readonly why?: string;
  readonly limit?: string;
}

interface ExportFlags {
  readonly since?: string;
  readonly until?: string;
}

export function addSignals(program: Command): void {
  const signals = program
    .command('signals')
    .description('show the history of a signal; correct, split, retract, hold, release, merge and export signals');
  signals
    .command('history')
    .argument('<signal>', 'id or slug')
    .description('list the events of a signal: when, what changed, and the story, item and poll that caused it')
    .option('--json', 'print JSON')
    .action((signal: string, flags: Flags) => withServices('signals', (services) => history(services, signal, flags)));
  signals
    .command('held')
    .description('list held signals, newest first')
    .option('--limit <n>', 'how many, 1 to 1000', '50')
    .option('--json', 'print JSON')
    .action((flags: Flags) => withServices('signals', (services) => held(services, flags)));
  signals
    .command('export')
    .description('export public signals in full with all reports as JSON Lines, newest first')
    .option('--since <time>', 'published at or after it: an ISO 8601 date (in IST) or time')
    .option('--until <time>', 'published before it')
    .action((flags: ExportFlags) => withServices('signals', (services) => exportSignals(services, flags)));
  const decision = (name: string, description: string): Command =>
    signals
      .command(name)
      .argument('<signal>', 'id or slug')
      .description(description)
      .requiredOption('--why <reason>', 'stored in the history')
      .option('--by <name>', 'who decides; default: the user of the system');
  decision('release', 'make a held or retracted signal public').action((signal: string, flags: Flags) =>
    withServices('signals', async ({ store, now }) =>
      printOutcome('public', await releaseSignal(store, signal, review(flags, now()))),
    ),
  );
  decision('hold', 'remove a public signal from all public answers until it is released').action(
    (signal: string, flags: Flags) =>
      withServices('signals', async ({ store, now }) =>
        printOutcome('held', await holdSignal(store, signal, review(flags, now()))),
      ),
  );
  decision('merge', 'merge a signal into another that reports the same event; its slug redirects there')
    .argument('<into>', 'id or slug of the signal that stays')
    .action((signal: string, into: string, flags: Flags) =>
      withServices('signals', async ({ store, now }) =>
        printOutcome('merged into it', await mergeSignal(store, signal, into, review(flags, now()))),
      ),
    );
  decision('retract', 'take back a signal that is no move; no later report brings it back').action(
    (signal: string, flags: Flags) =>
      withServices('signals', async ({ store, now }) =>
        printOutcome('retracted', await retractSignal(store, signal, review(flags, now()))),
      ),
  );
  signals
    .command('confirm')
    .argument('<signal>', 'id or slug')
    .description('say that nothing is wrong with a signal: it leaves the review desk, and is a label for training')
    .option('--why <reason>', 'stored in the history')
    .option('--by <name>', 'who decides; default: the user of the system')
    .action((signal: string, { by = operatorName(), why = '' }: Flags) =>
      withServices('signals', async ({ store, now }) => {
        const said = { by, why, time: now().toISOString(), id: randomUUID() };
        printOutcome('confirmed', await confirmSignal(store, signal, said));
      }),
    );
  decision('split', 'take a report out of a signal: it becomes a signal of its own, or joins another')
    .argument('<report>', 'its address, or its number in the order of "clarity signals fields", from 1')
    .option('--into <signal>', 'id or slug of the signal that it joins')
    .action((signal: string, report: string, flags: Flags & { into?: string }) =>
      withServices('signals', (services) => split(services, signal, report, flags)),
    );
  const correct = decision('correct', 'correct fields of a signal; no later report or edit changes them again');
  for (const field of CORRECTABLE) correct.option(`--${field} <value>`, FIELD_FORMS[field]);
  correct
    .addHelpText('after', CORRECT_HELP)
    .action((signal: string, flags: Flags & Partial<Record<Correctable, string>>) =>
      withServices('signals', (services) => correctFields(services, signal, flags)),
    );
  signals
    .command('fields')
    .argument('<signal>', 'id or slug')
    .description('print the fields of a signal as "correct" takes them, and its reports with their numbers')
    .action((signal: string) => withServices('signals', ({ store }) => printFields(store, signal)));
}

const CORRECT_HELP = `
A field that is not named stays as it is. Several facts are separated by line breaks, or by " ; ". An empty value means none.
"clarity signals fields SIGNAL" prints what it says now, in the same form.

Examples:
  clarity signals correct SIGNAL --why "the report names Patna" --cities "Patna"
  clarity signals correct SIGNAL --why "a plan, not an opening" \\
    --openings "planned | Zudio | Patna | City Centre | | 1"
  clarity signals correct SIGNAL --why "a person, not a store" --move people --openings "" \\
    --people "joined | Asha Rao | CFO | Kiri Foods | Tilak Shoes | | 2026-11-30"
  clarity signals correct SIGNAL --why "Trent is only mentioned" --brands "Zudio ; Trent (mention)"`;

async function correctFields(
  services: Services,
  signal: string,
  flags: Flags & Partial<Record<Correctable, string>>,
): Promise<void> {
  const named = CORRECTABLE.filter((field) => flags[field] !== undefined);
  if (named.length === 0) throw new UserError(`name a field: ${CORRECTABLE.map((field) => `--${field}`).join(', ')}`);
  const sent = Object.fromEntries(named.map((field) => [field, (flags[field] ?? '').split(' ; ').join('\n')]));
  const { store, now } = services;
  const directory = directoryOf((await catalogueInUse(services)).effective().catalogue);
  const find = (name: string) => directory.brandNamed(name);
  try {
    printOutcome('corrected', await correctSignal(store, signal, sent, find, review(flags, now())));
  } catch (error) {
    if (error instanceof Refusal) throw new UserError(error.message);
    throw error;
  }
}

async function split(
  services: Services,
  signal: string,
  report: string,
  flags: Flags & { readonly into?: string },
): Promise<void> {
  const { store, now } = services;
  const understander = await understandingInUse(services);
  const read = async (one: Parameters<typeof understander.understand>[0]) => {
    const { understanding } = await understander.understand(one);
    return { understanding, understood_by: understander.version };
  };
  printOutcome('has the report now', await splitReport(store, signal, report, flags.into, read, review(flags, now())));
}

async function printFields(store: Services['store'], signal: string): Promise<void> {
  const { understanding, corrected, reports } = await readSignal(store, signal);
  printTable(
    ['field', 'value'],
    CORRECTABLE.map((field) => [
      corrected[field] === undefined ? field : `${field} (corrected)`,
      oneLine(writeField(understanding, field).replaceAll('\n', ' ; '), 200),
    ]),
  );
  process.stdout.write('\n');
  printTable(
    ['report', 'outlet', 'headline'],
    reports.map(({ outlet, title }, index) => [String(index + 1), oneLine(outlet, 30), oneLine(title, 90)]),
  );
}

/** Signals of one query. */
const EXPORT_PAGE = 100;

function momentFlag(name: string, text: string | undefined): string | undefined {
  const moment = text === undefined ? undefined : readMoment(text);
  if (moment === null) throw new UserError(`--${name}: "${oneLine(text ?? '', 40)}" is not an ISO 8601 date or time`);
  return moment;
}

/**
 * Writes a line for each signal, a SignalDetail as the API answers it; signals published in the meantime are left out.
 */
async function exportSignals({ database, configuration }: Services, flags: ExportFlags): Promise<void> {
  const window = { since: momentFlag('since', flags.since), until: momentFlag('until', flags.until) };
  await prepareReadModels(database, readModels({ baseUrl: configuration.BASE_URL }));
  const total = await countPublished(database, window);
  const bar = progressBar('signals export', 'signals');
  const advance = pace();
  async function* lines(): AsyncGenerator<string> {
    let cursor: string | undefined;
    let done = 0;
    do {
      const page = await listSignals(database, { ...window, detail: true, limit: EXPORT_PAGE, cursor });
      yield* page.documents;
      done += page.documents.length;
      bar.show({ ...advance(done, Math.max(done, total)), phase: 'writing' });
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }
  try {
    await writeLines(lines());
  } finally {
    bar.end();
  }
}

const printOutcome = (what: string, { id, slug }: { id: string; slug: string }): void =>
  void process.stdout.write(`${id} ${slug}: ${what}\n`);

function review({ by = operatorName(), why = '' }: Flags, at: Date) {
  if (!why.trim()) throw new UserError('--why is empty; the reason is stored in the history of the signal');
  return { by, why, time: at.toISOString(), id: randomUUID() };
}

async function history({ store, topics }: Services, signal: string, { json }: Flags): Promise<void> {
  const entries = await signalHistory(signal, { store, topics, signal: stopSignal() });
  if (json) return void process.stdout.write(`${JSON.stringify(entries, null, 2)}\n`);
  process.stdout.write(`${entries.map(paragraph).join('\n')}\n`);
}

/** One event as text. Text of sources follows `>`. */
function paragraph({ time, type, signal_id, revision, changes, causes }: HistoryEntry): string {
  const changed = changes.map(({ field, before, after }) => {
    const [was, is] = [before, after].map((text) => (text === null ? '(nothing)' : oneLine(text, 160)));
    return before === null
      ? `    ${field}\n      > ${is}`
      : `    ${field}\n      > ${was}\n      becomes\n      > ${is}`;
  });
  const because = causes.map(({ id, type: kind, time: at, about }, step) =>
    kind
      ? `    ${step === 0 ? 'because of' : 'and that of'} ${kind} ${at} ${id}${about ? `\n      > ${oneLine(about, 160)}` : ''}`
      : `    ${step === 0 ? 'because of' : 'and that of'} ${id}, which is no longer in any topic`,
  );
  return [`${time}  ${type}  ${signal_id} #${revision}`, ...changed, ...because].join('\n');
}

async function held({ database, configuration }: Services, { json, limit = '50' }: Flags): Promise<void> {
  const maximum = Number(limit);
  if (!Number.isInteger(maximum) || maximum < 1 || maximum > 1000)
    throw new UserError(`--limit: "${oneLine(limit, 20)}" is not a whole number from 1 to 1000`);
  await prepareReadModels(database, readModels({ baseUrl: configuration.BASE_URL }));
  const found = await listHeld(database, maximum);
  if (json) return void process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  if (found.length === 0) return void process.stdout.write('no held signals\n');
  printTable(
    ['id', 'published', 'headline'],
    found.map(({ id, published_at, headline }) => [id, published_at, oneLine(headline, 90)]),
  );
  process.stdout.write('\nclarity signals history ID shows why; clarity signals release ID --why … makes it public\n');
}

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

export function addTrace(program: Command): void {
  program
    .command('trace')
    .argument('<what>', 'id of an event or correlation, address of an item, or id or slug of a signal')
    .description('show one item on its way: poll, item, story, signal, page')
    .option('--json', 'print JSON')
    .action((what: string, flags: { json?: boolean }) =>
      withServices('trace', (services) => follow(services, what, flags)),
    );
}

async function follow(services: Services, what: string, { json }: { json?: boolean }): Promise<void> {
  const { store, topics } = services;
  const steps = await traceItem(parseBeginning(what), {
    store,
    topics,
    group: `trace-${randomUUID()}`,
    signal: stopSignal(),
  });
  if (steps.length === 0)
    throw new UserError(`nothing is stored about ${JSON.stringify(oneLine(what, 200))}; topics on Kafka keep 90 days`);
  const pages = await pagesOf(services, steps);
  if (json) return void process.stdout.write(`${JSON.stringify({ steps, pages }, null, 2)}\n`);
  process.stdout.write(`${[...steps.map(stepText), ...endOf(steps, pages)].join('\n')}\n`);
}

interface PageState {
  readonly signal_id: string;
  /** Null while no read model shows it: it is not projected yet, is held, or resurfaced. */
  readonly url: string | null;
}

async function pagesOf(services: Services, steps: readonly Step[]): Promise<PageState[]> {
  await preparedModels(services);
  const ids = [...new Set(steps.flatMap(({ signal_id }) => signal_id ?? []))];
  return Promise.all(ids.map(async (signal_id) => ({ signal_id, url: await pageOf(services, signal_id) })));
}

async function pageOf({ database, configuration }: Services, id: string): Promise<string | null> {
  const found = await findSignal(database, id);
  if (!found) return null;
  if ('redirect' in found) return `${configuration.BASE_URL}/signal/${found.redirect}`;
  return (JSON.parse(found.document) as { url?: string }).url ?? null;
}

/** One step as text. Text of sources follows `>`. */
function stepText({ time, type, id, correlation_id, signal_id, about }: Step): string {
  const said = about === null ? '' : `\n    > ${oneLine(about, 160)}`;
  return `${time}  ${type}${signal_id ? `  ${signal_id}` : ''}\n    ${id}, correlation ${correlation_id}${said}`;
}

function endOf(steps: readonly Step[], pages: readonly PageState[]): string[] {
  if (pages.length > 0)
    return pages.map(({ signal_id, url }) =>
      url ? `page  ${url}` : `no page shows ${signal_id}: clarity signals history ${signal_id} shows why`,
    );
  const understood = steps.some(({ type }) => type === 'StoryUnderstood');
  return [
    understood
      ? 'no signal yet: the matcher has not handled it, or dead-lettered it (its log has the id of the story)'
      : 'no story: it is noise, or not understood yet; clarity understand --explain names the rule',
  ];
}
