/** `clarity brands`: which names from headlines are brands; on its page, they also become entries of the catalogue. */
import { z } from 'zod';
import { changeCatalogue, decideBrand, planCatalogue } from '../ingest/catalogue/catalogue-commands.ts';
import { entryNow } from '../ingest/catalogue/effective-catalogue.ts';
import type { BRAND_DECISIONS } from '../schemas/resources.ts';
import { change } from './catalogue.ts';
import { defineOperatorAction, type OperatorActions } from './operator-action.ts';

const NAME = z
  .string()
  .trim()
  .min(1)
  .max(120)
  .meta({ description: 'name or slug, as /operate/catalogue/candidates lists it', placeholder: 'name' });

const decision = (name: keyof typeof BRAND_DECISIONS, outcome: string, summary: string) =>
  defineOperatorAction({
    name,
    summary,
    role: 'reviewer',
    input: z.object({ slug: NAME }),
    positional: ['slug'],
    audit: 'events',
    reason: 'on pages',
    seenIn: ['brands'],
    async run({ slug: text }, context) {
      const { database, store, now } = context;
      const directory = await context.directory();
      const decided = await decideBrand({ database, store, now, directory }, name, text, context.author());
      return { slug: decided.slug, name: decided.name, outcome, was_so: decided.known };
    },
    text: ({ name: brand, slug, was_so }) => `${brand} (${slug}): ${outcome}${was_so ? ' already' : ''}`,
  });

export const promote = decision('promote', 'promoted', 'give a name a page and links before a second story names it');
export const refuse = decision('refuse', 'refused', 'leave a name without a page, whatever is reported');

/** A name from headlines as a brand of the catalogue. */
export const acceptName = defineOperatorAction({
  name: 'accept',
  summary: 'add the name to the catalogue as a brand',
  input: z.object({ slug: NAME, name: z.string().max(120), category: z.string().max(60) }),
  audit: 'events',
  reason: 'on pages',
  seenIn: ['catalogue'],
  run: (fields, context) => change(context, { do: 'add', kind: 'brand', fields }),
});

/** A name from headlines as another name of a brand. */
export const nameOfBrand = defineOperatorAction({
  name: 'alias',
  summary: 'make the name another name of a brand',
  input: z.object({ slug: NAME, name: z.string().max(120), brand: z.string().max(120) }),
  audit: 'events',
  reason: 'on pages',
  seenIn: ['catalogue'],
  async run({ slug, name, brand }, context) {
    const { store, now } = context;
    const { shipped } = await context.catalogue();
    return changeCatalogue({ store, shipped, now }, (history) => {
      const { catalogue } = history.state;
      const entry = entryNow(catalogue, 'brand', brand);
      const own = entry && 'aliases' in entry ? entry : { aliases: [], retired_slugs: [] };
      // The address that the name had in headlines leads to the brand.
      const isFree = !entryNow(catalogue, 'brand', slug);
      const fields = {
        aliases: [...own.aliases, name],
        ...(isFree && { retired_slugs: [...(own.retired_slugs ?? []), slug] }),
      };
      return planCatalogue(history, { do: 'edit', kind: 'brand', slug: brand, fields }, context.author());
    });
  },
});

export const BRANDS: OperatorActions = {
  name: 'brands',
  summary: 'promote or refuse names that the catalogue lacks',
  actions: [promote, refuse],
};
