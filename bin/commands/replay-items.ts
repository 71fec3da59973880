/** `clarity replay --from items`: the terminal's side of it. */
import { randomUUID } from 'node:crypto';
import { postgresSignalIndex } from '../../ingest/match/signal-index.ts';
import { type ItemReplay, type ItemReplayed, replayItems } from '../../ingest/replay/run.ts';
import { ITEMS } from '../../schemas/item.ts';
import { openCatalogue } from '../catalogue.ts';
import { Stopped } from '../errors.ts';
import { pace, progressBar } from '../progress-bar.ts';
import type { Services } from '../services.ts';
import { stopSignal } from '../supervise.ts';

const PHASES: Record<Parameters<ItemReplay['onProgress']>[0], string> = {
  items: 'understanding items',
  history: 'reading signals',
  signals: 'comparing signals',
  stories: 'matching new moves',
};

export async function replayStoredItems(
  services: Services,
  { dry = false, json = false }: { readonly dry?: boolean; readonly json?: boolean },
): Promise<void> {
  const { topics, store, logger, configuration } = services;
  const catalogue = await openCatalogue(configuration.CATALOGUE);
  const signal = stopSignal();
  const bar = progressBar('items', 'done', json);
  let [phase, at] = ['', pace()];
  try {
    const done = await replayItems({
      items: topics.topic(ITEMS),
      store,
      catalogue,
      index: await postgresSignalIndex(services.database),
      logger,
      id: randomUUID(),
      clock: services.now,
      dry,
      signal,
      onProgress: (next, count, total) => {
        if (next !== phase) [phase, at] = [next, pace()];
        bar.show({ ...at(count, total), phase: PHASES[next] });
      },
    });
    bar.end();
    process.stdout.write(`${json ? JSON.stringify({ dry, ...done }, null, 2) : told(done, dry)}\n`);
  } catch (error) {
    bar.end();
    if (!signal.aborted) throw error;
    throw new Stopped(
      `stopped; ${dry ? 'nothing was' : 'what was'} appended${dry ? '' : ' stays, run it again for the rest'}`,
    );
  }
}

const WORDS: Readonly<Record<string, string>> = {
  SignalDetected: 'new signals',
  SignalReported: 'further reports',
  SignalRevised: 'texts revised',
  SignalHeld: 'held, their items being no moves any more',
  SignalReleased: 'released',
  SignalMerged: 'merged',
};

function told({ items, unreadable, signals, stories, passed_over, appended }: ItemReplayed, dry: boolean): string {
  const counts = Object.entries(appended).map(([type, many]) => `  ${many} ${WORDS[type] ?? type}`);
  return [
    `${items} items stored, ${signals} signals hold some of them, ${stories} further items are moves`,
    ...(unreadable + passed_over > 0
      ? [`  ${unreadable} items unreadable, ${passed_over} passed over (see the log)`]
      : []),
    counts.length === 0 ? 'nothing changed' : dry ? 'would append:' : 'appended:',
    ...counts,
  ].join('\n');
}
