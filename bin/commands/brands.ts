/** `clarity brands`: which names from headlines are brands, decided by an operator. */
import type { Command } from 'commander';
import { BrandRefused, decideBrand } from '../../ingest/brand-decisions.ts';
import type { BRAND_DECISIONS } from '../../schemas/brand.ts';
import { directoryOf } from '../../schemas/directory.ts';
import { UserError } from '../errors.ts';
import { catalogueInUse, preparedModels, type Services, withServices } from '../services.ts';
import { type AuthorFlags, authorOf, withAuthor } from '../terminal.ts';

export function addBrands(program: Command): void {
  const brands = program.command('brands').description('promote or refuse names that the catalogue lacks');
  const decision = (name: keyof typeof BRAND_DECISIONS, description: string): void => {
    withAuthor(brands.command(name).argument('<name>', 'name or slug, as /operate/catalogue/candidates lists it'))
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
  await preparedModels(services);
  const directory = directoryOf((await catalogueInUse(services)).effective().catalogue);
  try {
    const { name, slug, known } = await decideBrand({ ...services, directory }, decision, text, authorOf(flags, ''));
    const outcome = decision === 'promote' ? 'promoted' : 'refused';
    process.stdout.write(`${name} (${slug}): ${known ? `${outcome} already` : outcome}\n`);
  } catch (error) {
    throw error instanceof BrandRefused ? new UserError(error.message) : error;
  }
}
