/** `clarity sources check|apply`: rosters from a file. */
import type { Command } from 'commander';
import { applyRoster } from '../../../ingest/roster/apply-roster.ts';
import { withHiddenHeaders } from '../../../ingest/roster/hidden-headers.ts';
import { loadRoster } from '../../../ingest/roster/load-roster.ts';
import { planRoster, type RosterChange } from '../../../ingest/roster/plan-roster.ts';
import { readRoster } from '../../../ingest/roster/read-roster.ts';
import { Source } from '../../../schemas/source.ts';
import { type AuthorFlags, authorOf, withAuthor } from '../../author.ts';
import { confirmed } from '../../confirm.ts';
import { oneLine } from '../../quote.ts';
import { FILE_AUTHOR } from '../../roster.ts';
import { withServices } from '../../services.ts';

type Flags = AuthorFlags & { readonly yes?: boolean };

export function addApply(sources: Command): void {
  sources
    .command('check')
    .argument('<roster.yaml>')
    .description('say what is wrong with a roster file: line, field, value and what is allowed')
    .action(async (file: string) => {
      const found = await readRoster(file);
      process.stdout.write(`${file} is well: ${found.length} source${found.length === 1 ? '' : 's'}\n`);
    });
  withAuthor(sources.command('apply'))
    .argument('<roster.yaml>')
    .option('--yes', 'without asking')
    .description('show the difference to the roster file, then make the roster so; applied again it changes nothing')
    .action((file: string, flags: Flags) => apply(file, flags));
}

async function apply(file: string, flags: Flags): Promise<void> {
  const wanted = await readRoster(file);
  await withServices('sources', async ({ store, now }) => {
    // The file is the author, so that what it no longer lists is retired; the person stands in the reason.
    const person = authorOf(flags, `applied ${file}`);
    const author = { by: FILE_AUTHOR, why: `${person.why} (${person.by})` };
    const stored = wanted.map((source) => Source.parse(JSON.parse(JSON.stringify(source))));
    const plan = planRoster((await loadRoster(store)).roster, stored, author);
    for (const change of plan) process.stdout.write(`${describe(change)}\n`);
    process.stdout.write(`${plan.length} of ${wanted.length} sources differ\n`);
    if (plan.length === 0 || !(await confirmed('Apply this?', flags.yes))) return;
    const made = await applyRoster(store, wanted, author, now);
    process.stdout.write(`applied: ${made.length} sources changed\n`);
  });
}

const SIGNS = { added: '+', changed: '~', retired: '-' } as const;

function describe({ change, source_id, before, after }: RosterChange): string {
  const head = `${SIGNS[change]} ${source_id}`;
  if (!before || !after) return `${head}  ${oneLine((after ?? before)?.url ?? '', 300)}`;
  const fields = Object.keys({ ...before, ...after }) as (keyof Source)[];
  const [from, to] = [withHiddenHeaders(before), withHiddenHeaders(after)];
  const differing = fields
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map(
      (field) => `\n    ${field}: ${JSON.stringify(from[field]) ?? 'unset'} -> ${JSON.stringify(to[field]) ?? 'unset'}`,
    );
  return `${head}${differing.join('')}`;
}
