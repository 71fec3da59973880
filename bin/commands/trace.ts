/** `clarity trace`: one item on its way from poll to page. */
import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { parseBeginning, type Step, traceItem } from '../../ingest/trace.ts';
import { findSignal } from '../../projector/models/signals-queries.ts';
import { UserError } from '../errors.ts';
import { preparedModels, type Services, withServices } from '../services.ts';
import { stopSignal } from '../supervise.ts';
import { oneLine } from '../terminal.ts';

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
  process.stdout.write(`${[...steps.map(paragraph), ...endOf(steps, pages)].join('\n')}\n`);
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
function paragraph({ time, type, id, correlation_id, signal_id, about }: Step): string {
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
