/** `clarity brands`: which names from headlines are brands, decided by an operator. */
import type { Command } from 'commander';
import { handleCommand } from '../../log/command-handler.ts';
import { namesOfBrands } from '../../projector/models/competitor-watch-queries.ts';
import { BRAND_DECISIONS, brandStream } from '../../schemas/brand.ts';
import { directoryOf } from '../../schemas/directory.ts';
import { readEvent } from '../../schemas/events.ts';
import { brandSlugOf } from '../../schemas/scalar.ts';
import { UserError } from '../errors.ts';
import { openCatalogue, preparedModels, type Services, withServices } from '../services.ts';
import { type AuthorFlags, authorOf, quoted, withAuthor } from '../terminal.ts';

export function addBrands(program: Command): void {
  const brands = program.command('brands').description('promote or refuse names that the catalogue lacks');
  const decision = (name: keyof typeof BRAND_DECISIONS, description: string): void => {
    withAuthor(brands.command(name).argument('<name>', 'name or slug, as /operate/brands lists it'))
      .description(description)
      .action((text: string, flags: AuthorFlags) =>
        withServices('brands', (services) => decide(services, name, text, flags)),
      );
  };
  decision('promote', 'give a name a page and links before a second story names it');
  decision('refuse', 'leave a name without a page, whatever is reported');
}

/** @throws UserError for a name of the catalogue, and for one that no public signal has */
async function decide(
  services: Services,
  decision: keyof typeof BRAND_DECISIONS,
  text: string,
  flags: AuthorFlags,
): Promise<void> {
  const { store, database, configuration, now } = services;
  const directory = directoryOf((await openCatalogue(configuration.CATALOGUE)).catalogue);
  const slug = brandSlugOf(text);
  const listed = directory.brandNamed(text) ?? directory.brand(directory.currentSlug(slug));
  if (listed) throw new UserError(`${quoted(text)} is in the catalogue, as ${listed.slug}; edit its file instead`);
  await preparedModels(services);
  const [named] = await namesOfBrands(database, [slug]);
  if (!named) throw new UserError(`no public signal names ${quoted(text)}; /operate/brands lists the names`);
  const type = BRAND_DECISIONS[decision];
  const { events } = await handleCommand(store, {
    stream: brandStream(slug),
    fold: (stored) => stored.map((event) => readEvent(event).type).at(-1),
    decide: (last) => ({
      facts: last === type ? [] : [{ type, data: { slug, name: named.name, ...authorOf(flags, '') } }],
    }),
    now: now(),
  });
  const outcome = decision === 'promote' ? 'promoted' : 'refused';
  process.stdout.write(`${named.name} (${slug}): ${events.length > 0 ? outcome : `${outcome} already`}\n`);
}
