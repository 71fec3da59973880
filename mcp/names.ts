/** Brands and themes by whatever name a model gives them: the name, an alias, a slug of any time, a slip of spelling. */

import { namesOfBrands } from '../projector/models/brands/watch-queries.ts';
import { findNames } from '../projector/models/names/queries.ts';
import { findTheme } from '../projector/models/themes/queries.ts';
import type { Directory, Entry } from '../schemas/directory.ts';
import { slugify } from '../schemas/identity.ts';
import { quoted } from '../schemas/refusal.ts';
import type { ToolContext } from './context.ts';
import { plainLine } from './text/quote.ts';
import { ToolRefusal } from './tool.ts';
import { runsOf } from './word-runs.ts';

/** A name that is spelled so alike is taken for the one that was meant. */
const SURE = 0.75;
const OFFERED = 5;

/** The refusal of a name that nothing has. @param nearest names, the nearest first */
export function unknownName(what: string, name: string, nearest: readonly string[]): ToolRefusal {
  const offered = nearest.slice(0, OFFERED).map((one) => plainLine(one, 80));
  const offer = offered.length > 0 ? `The nearest: ${offered.join(', ')}.` : 'None is near.';
  return new ToolRefusal(`No ${what} is called ${quoted(name)}. ${offer} The tool "search" finds brands and themes.`);
}

/** The one brand that is named among other words: `Tanishq jewelers`, `the Zudio chain`. */
function brandWithin(directory: Directory, text: string): Entry | null {
  const named = runsOf(text).flatMap((run) => directory.brandNamed(run) ?? []);
  const [longest] = named;
  return longest && named.every(({ slug, name }) => slug === longest.slug || longest.name.includes(name))
    ? longest
    : null;
}

/**
 * A brand of the catalogue, or one that only stories know.
 * @throws ToolRefusal offering the nearest names
 */
export async function brandNamed(context: ToolContext, name: string): Promise<Entry> {
  const { database, directory, gazetteer } = context;
  const text = name.trim();
  const listed = directory.brand(directory.currentSlug(text.toLowerCase())) ?? directory.brandNamed(text);
  if (listed) return listed;
  const slug = slugify(text);
  const [told] = slug === '' ? [] : await namesOfBrands(database, [slug]);
  if (told && !directory.brand(directory.currentSlug(slug))) return told;
  const { found, nearest = [] } = gazetteer.findCompany(text);
  if (found) return { slug: found.slug, name: found.name };
  const within = brandWithin(directory, text);
  if (within) return within;
  const alike = (await findNames(database, text, { limit: OFFERED })).filter(({ type }) => type === 'brand');
  const [best] = alike;
  if (best && best.score >= SURE) return { slug: best.slug, name: best.name };
  throw unknownName('brand', name, [...new Set([...alike.map((one) => one.name), ...nearest])]);
}

/** Several, each once, in the order in which they were named. @throws ToolRefusal for the first that no brand has */
export async function brandsNamed(context: ToolContext, names: readonly string[]): Promise<Entry[]> {
  const found = await Promise.all(names.map((name) => brandNamed(context, name)));
  return found.filter(({ slug }, index) => found.findIndex((one) => one.slug === slug) === index);
}

/** @throws ToolRefusal offering the nearest names */
export async function themeNamed(context: ToolContext, name: string): Promise<Entry> {
  const { database, directory, themes, baseUrl, now } = context;
  const slug = slugify(name);
  const listed = directory.theme(slug);
  if (listed) return listed;
  const { found, nearest = [] } = themes.find(name);
  if (found) return found;
  const told = slug === '' ? null : await findTheme(database, slug, { now: now(), baseUrl });
  if (told) return { slug: told.slug, name: told.name };
  throw unknownName('theme', name, nearest);
}

/** @throws ToolRefusal for the first that no theme has */
export const themesNamed = (context: ToolContext, names: readonly string[]): Promise<Entry[]> =>
  Promise.all(names.map((name) => themeNamed(context, name)));
