/**
 * How well items are understood: `node eval/understanding.ts [FILE.jsonl] [--commit]`, our own items that no training
 * sees when no file is given. Prints a table and JSON; ends with 1 when a figure fell by more than 0.02 below the
 * committed one. `--commit` writes the figures of our own items instead.
 */
import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../ingest/understand/catalogue.ts';
import { understandItem } from '../ingest/understand/understand-item.ts';
import { formatVerdict } from '../ingest/understand/understand-lines.ts';
import { MOVES } from '../schemas/scalar.ts';
import { commitFigures, committed, fallen, type Section } from './figures.ts';
import { itemText, type LabelledItem, Labels, readLabelled } from './labelled.ts';
import { companyKey, figureKey, placeKey, surnameKey, Tally } from './scoring.ts';

export const OWN_ITEMS = new URL('items.jsonl', import.meta.url);

const round = (value: number): number => Math.round(value * 1000) / 1000;
type Said = ReturnType<typeof Labels.parse>;

const opening = (each: { brand: string; city: string | null; status: string }): string =>
  `${companyKey(each.brand)}|${placeKey(each.city)}|${each.status === 'closed' ? 'closed' : 'open'}`;
const person = (each: { person: string; direction: string }): string => `${surnameKey(each.person)}|${each.direction}`;
const deal = (each: Said['deal']): string =>
  each ? `${each.type}|${companyKey(each.target)}|${figureKey(each.amount)}` : '';
const result = (each: Said['result']): string =>
  each ? `${companyKey(each.company)}|${each.growth_pct === null ? '' : Math.round(each.growth_pct)}` : '';

/** Measures the shipped rules and weights on labelled items. */
export function measureUnderstanding(items: readonly LabelledItem[], catalogue: PreparedCatalogue): Section {
  const relevant = new Tally();
  const moves = new Map(MOVES.map((move) => [move as string, new Tally()]));
  const fields = {
    primary: new Tally(),
    cities: new Tally(),
    people: new Tally(),
    openings: new Tally(),
    results: new Tally(),
    deals: new Tally(),
  };
  const delta = { right: 0, all: 0 };
  for (const item of items) {
    const said = Labels.parse(formatVerdict(item.key, understandItem(itemText(item), catalogue), false));
    relevant.compare(item.relevant ? ['yes'] : [], said.relevant ? ['yes'] : []);
    if (!item.relevant) continue;
    for (const [move, tally] of moves)
      tally.compare([item.move === move ? move : ''], [said.move === move ? move : '']);
    fields.primary.compare(item.primary.map(companyKey), said.primary.map(companyKey));
    fields.cities.compare(item.cities.map(placeKey), said.cities.map(placeKey));
    fields.people.compare(item.people.map(person), said.people.map(person));
    fields.openings.compare(item.openings.map(opening), said.openings.map(opening));
    fields.results.compare([result(item.result)], [result(said.result)]);
    fields.deals.compare([deal(item.deal)], [deal(said.deal)]);
    if (item.delta) {
      delta.all++;
      if (figureKey(item.delta) === figureKey(said.delta)) delta.right++;
    }
  }
  const macro = [...moves.values()].filter((tally) => tally.hits + tally.missed >= 3);
  return {
    relevance_f1: round(relevant.f1),
    move_macro_f1: round(macro.reduce((sum, tally) => sum + tally.f1, 0) / (macro.length || 1)),
    primary_f1: round(fields.primary.f1),
    cities_f1: round(fields.cities.f1),
    delta_accuracy: round(delta.all ? delta.right / delta.all : 1),
    people_f1: round(fields.people.f1),
    openings_f1: round(fields.openings.f1),
    results_f1: round(fields.results.f1),
    deals_f1: round(fields.deals.f1),
  };
}

async function main(given: readonly string[]): Promise<number> {
  const file = given.find((argument) => !argument.startsWith('--'));
  const read = await readLabelled(file ?? OWN_ITEMS.pathname);
  const items = file ? read : read.filter((item) => item.split === 'test');
  const catalogue = prepareCatalogue(await loadCatalogue(process.env.CATALOGUE ?? 'deploy/catalogue'));
  const figures = measureUnderstanding(items, catalogue);
  console.table(figures);
  console.log(JSON.stringify({ items: items.length, ...figures }));
  if (file) return 0;
  if (given.includes('--commit')) commitFigures('understanding', figures);
  const falls = fallen(committed('understanding'), figures);
  for (const fall of falls) console.error(`understanding: ${fall}`);
  return falls.length ? 1 : 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
