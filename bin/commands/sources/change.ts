/** `clarity sources add|edit|pause|resume|retire`: one source at a time, each change an event with who and why. */
import type { Command } from 'commander';
import { changeSource } from '../../../ingest/roster/change-source.ts';
import type { SourceCommand } from '../../../ingest/roster/decide-source.ts';
import { freeId } from '../../../ingest/roster/free-id.ts';
import { loadRoster } from '../../../ingest/roster/load-roster.ts';
import { type AuthorFlags, authorOf, withAuthor } from '../../author.ts';
import { UserError } from '../../errors.ts';
import { withServices } from '../../services.ts';
import { type FieldFlags, fieldsOf, withFields } from './fields.ts';

type Flags = AuthorFlags & FieldFlags & { readonly id?: string; readonly url?: string };

const DONE = { add: 'added', edit: 'changed', pause: 'paused', resume: 'resumed', retire: 'retired' } as const;

export function addChanges(sources: Command): void {
  withAuthor(withFields(sources.command('add')))
    .argument('<url>', 'address of the feed, listing or sitemap')
    .option('--id <id>', 'kebab-case; made from the outlet when unset')
    .description('add a source; sources test URL shows first what it would bring')
    .action((url: string, flags: Flags) => change((ids) => added(url, flags, ids), flags));
  withAuthor(withFields(sources.command('edit')))
    .argument('<id>')
    .option('--url <url>', 'another address')
    .description('change fields of a source')
    .action((id: string, flags: Flags) => {
      const fields = { ...fieldsOf(flags), ...(flags.url === undefined ? {} : { url: flags.url }) };
      if (Object.keys(fields).length === 0) throw new UserError('say what is to be changed, such as --authority 0.8');
      return change(() => ({ do: 'edit', id, fields }), flags);
    });
  for (const [what, about] of [
    ['pause', 'poll it no more until it is resumed'],
    ['resume', 'poll it again'],
    ['retire', 'take it out of the roster; what it reported stays'],
  ] as const)
    withAuthor(sources.command(what))
      .argument('<id>')
      .description(about)
      .action((id: string, flags: Flags) => change(() => ({ do: what, id }), flags));
}

function added(url: string, flags: Flags, taken: ReadonlySet<string>): SourceCommand {
  const outlet = flags.outlet ?? URL.parse(url)?.hostname.replace(/^www\./, '');
  return {
    do: 'add',
    id: flags.id ?? freeId(outlet ?? 'source', taken),
    fields: { ...fieldsOf(flags), outlet, url },
  };
}

const change = (command: (ids: ReadonlySet<string>) => SourceCommand, flags: Flags): Promise<void> =>
  withServices('sources', async ({ store, now }) => {
    const { roster } = await loadRoster(store);
    const wanted = command(new Set(roster.keys()));
    const event = await changeSource(store, wanted, authorOf(flags, `${wanted.do} by command`), now);
    process.stdout.write(event ? `${DONE[wanted.do]} ${wanted.id}\n` : `${wanted.id} is so already\n`);
  });
