/** `clarity sources discover`: the feeds of a site. */
import type { Command } from 'commander';
import { discoverFeeds } from '../../../ingest/poll/discover-feeds.ts';
import { PollError } from '../../../ingest/poll/poll-error.ts';
import { readConfiguration } from '../../../schemas/configuration.ts';
import { UserError } from '../../errors.ts';
import { openFetcher } from '../../fetcher.ts';
import { oneLine } from '../../quote.ts';
import { stopSignal } from '../../supervise.ts';
import { printTable } from '../../table.ts';

export function addDiscover(sources: Command): void {
  sources
    .command('discover')
    .argument('<url>', 'address of a site or page')
    .description('find the feeds of a site: those it names, else those at the usual places')
    .option('--json', 'print JSON')
    .action(async (url: string, { json }: { json?: boolean }) => {
      const feeds = await discoverFeeds(url, openFetcher(readConfiguration(process.env)), stopSignal()).catch(
        (error: unknown) => {
          throw error instanceof PollError ? new UserError(`${url}: ${error.code}: ${error.message}`) : error;
        },
      );
      if (json) return void process.stdout.write(`${JSON.stringify(feeds, null, 2)}\n`);
      if (feeds.length === 0) throw new UserError(`${url} names no feed, and none stands at the usual places`);
      printTable(
        ['kind', 'entries', 'address', 'title'],
        feeds.map((feed) => [feed.kind, String(feed.entries), oneLine(feed.url, 300), oneLine(feed.title ?? '', 80)]),
      );
      process.stdout.write('\nclarity sources add ADDRESS takes one into the roster\n');
    });
}
