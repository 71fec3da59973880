/**
 * The part of the shipped catalogue that the items of the rounds name. Processes that restart repeatedly on it
 * start faster: reading the complete catalogue takes longer than the rest of a start.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadCatalogue } from '../../facts/text/catalogue.ts';
import { NEWS } from './rounds.ts';

/** @param folder where its one file goes, for `CATALOGUE` */
export async function writeSmallCatalogue(folder: string): Promise<void> {
  const whole = await loadCatalogue('deploy/catalogue');
  const isMentioned = ({ name, aliases = [] }: { name: string; aliases?: readonly string[] }): boolean =>
    [name, ...aliases].some((one) => NEWS.includes(one));
  const file = {
    sources: ['deploy/catalogue'],
    brands: whole.brands.filter(isMentioned),
    themes: whole.themes,
    cities: whole.cities.filter(isMentioned),
    malls: whole.malls.filter(isMentioned),
    investors: whole.investors.filter(isMentioned),
  };
  // JSON is valid YAML.
  await writeFile(join(folder, 'catalogue.yaml'), JSON.stringify(file, null, 1));
}
