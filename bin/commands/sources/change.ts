/** `clarity sources add|edit|pause|resume|retire`: one source at a time, each change an event with who and why. */
import type { Command } from 'commander';
import { addSource } from '../../../ingest/roster/add-source.ts';
import { changeSource } from '../../../ingest/roster/change-source.ts';
import { type SourceCommand, SourceRefused } from '../../../ingest/roster/decide-source.ts';
import { loadRoster } from '../../../ingest/roster/load-roster.ts';
import { sourceAtAddress } from '../../../ingest/roster/source-address.ts';
import { type AuthorFlags, authorOf, withAuthor } from '../../author.ts';
import { UserError } from '../../errors.ts';
import { openFetcher } from '../../fetcher.ts';
import { oneLine } from '../../quote.ts';
import { withServices } from '../../services.ts';
import { stopSignal } from '../../supervise.ts';
import { type FieldFlags, fieldsOf, withFields } from './fields.ts';

type Flags = AuthorFlags & FieldFlags & { readonly id?: string; readonly url?: string; readonly untested?: boolean };

const DONE = { add: 'added', edit: 'changed', pause: 'paused', resume: 'resumed', retire: 'retired' } as const;

export function addChanges(sources: Command): void {
  withAuthor(withFields(sources.command('add')))
    .argument('<url>', 'address of the feed, listing or sitemap')
    .option('--id <id>', 'kebab-case; made from the outlet when unset')
    .option('--untested', 'without polling it first, as while the outlet does not answer')
    .description('poll the address once and add it when it can be read; sources test URL shows what it would bring')
    .action((url: string, flags: Flags) => add(url, flags));
  withAuthor(withFields(sources.command('edit')))
    .argument('<id>')
    .option('--url <url>', 'another address')
    .description('change fields of a source')
    .action((id: string, flags: Flags) => {
      const fields = { ...fieldsOf(flags), ...(flags.url === undefined ? {} : { url: flags.url }) };
      if (Object.keys(fields).length === 0) throw new UserError('say what is to be changed, such as --authority 0.8');
      return change({ do: 'edit', id, fields }, flags);
    });
  for (const [what, about] of [
    ['pause', 'poll it no more until it is resumed'],
    ['resume', 'poll it again'],
    ['retire', 'take it out of the roster; what it reported stays'],
  ] as const)
    withAuthor(sources.command(what))
      .argument('<id>')
      .description(about)
      .action((id: string, flags: Flags) => change({ do: what, id }, flags));
}

const add = (url: string, flags: Flags): Promise<void> =>
  withServices('sources', async ({ store, configuration, now }) => {
    const context = { store, fetchPage: openFetcher(configuration, now), signal: stopSignal(), clock: now };
    const wanted = { url, id: flags.id, fields: fieldsOf(flags), untested: flags.untested };
    const { id, outlet, items } = await addSource(context, wanted, authorOf(flags, 'add by command'));
    const found = items === null ? 'not tried' : `${items} items now`;
    process.stdout.write(`added ${id}: ${oneLine(outlet, 120)}, ${found}\n`);
  });

const change = (wanted: SourceCommand, flags: Flags): Promise<void> =>
  withServices('sources', async ({ store, now }) => {
    if (wanted.do === 'edit' && typeof wanted.fields.url === 'string') {
      const known = sourceAtAddress((await loadRoster(store)).roster, [wanted.fields.url]);
      if (known && known.id !== wanted.id)
        throw new SourceRefused(`url: the roster has this address already, as ${known.id} (${known.url})`);
    }
    const event = await changeSource(store, wanted, authorOf(flags, `${wanted.do} by command`), now);
    process.stdout.write(event ? `${DONE[wanted.do]} ${wanted.id}\n` : `${wanted.id} is so already\n`);
  });
