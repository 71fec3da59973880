/**
 * How well items are understood: `node eval/measure-understanding.ts [FILE.jsonl] [--commit]`, our own items that no
 * training sees when no file is given. Prints a table and JSON; exits with 1 when a figure fell by more than 0.02 below
 * the committed one. `--commit` writes the figures of our own items instead.
 */

import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../ingest/understand/catalogue.ts';
import { parseFigure } from '../ingest/understand/figures.ts';
import { fold } from '../ingest/understand/tokens.ts';
import { understandItem } from '../ingest/understand/understand-item.ts';
import { formatVerdict } from '../ingest/understand/understand-lines.ts';
import { MOVES } from '../schemas/scalar.ts';
import { commitFigures, listFallen, readCommitted, type Section } from './evaluate.ts';
import { type LabelledItem, Labels, OWN_ITEMS, readLabelled, toItemText } from './labelled-items.ts';

// Scoring: precision, recall and F1 over sets, with names and figures compared by meaning.

/** Counts hits, wrong answers and missed ones. */
class Tally {
  hits = 0;
  wrong = 0;
  missed = 0;
  /** Compares two sets of keys; empty keys do not count. */
  compare(wanted: readonly string[], said: readonly string[]): void {
    const want = new Set(wanted.filter(Boolean));
    const got = new Set(said.filter(Boolean));
    for (const key of got) want.has(key) ? this.hits++ : this.wrong++;
    for (const key of want) if (!got.has(key)) this.missed++;
  }
  /** F1; 1 when there was nothing to find and nothing was found. */
  get f1(): number {
    const all = 2 * this.hits + this.wrong + this.missed;
    return all === 0 ? 1 : (2 * this.hits) / all;
  }
}

const plain = (text: string): string =>
  fold(text)
    .replace(/['’`]/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();

const ENDINGS =
  /\b(?:ltd|limited|pvt|private|inc|corp|corporation|company|co|india|group|industries|retail|brands|the)\b/g;

/** A company's name without its legal ending, for comparing. */
const companyKey = (name: string | null): string => {
  const bare = plain(name ?? '');
  return bare.replace(ENDINGS, ' ').replace(/\s+/g, ' ').trim() || bare;
};

/** A place for comparing. */
const placeKey = (name: string | null): string => plain(name ?? '');

/** A surname for comparing. */
const surnameKey = (name: string): string => plain(name).split(' ').at(-1) ?? '';

/** A figure by value and unit, so that `Rs 230 crore` and `₹230 Cr` are one. */
function figureKey(text: string | null): string {
  if (!text) return '';
  const figure = parseFigure(text);
  return figure
    ? `${Number(Math.abs(figure.value).toPrecision(6))}${figure.kind === 'money' ? figure.unit : figure.kind === 'percent' ? '%' : ''}`
    : plain(text);
}

// The measurement.

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
    const said = Labels.parse(formatVerdict(item.key, understandItem(toItemText(item), catalogue), false));
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
  const falls = listFallen(readCommitted('understanding'), figures);
  for (const fall of falls) console.error(`understanding: ${fall}`);
  return falls.length ? 1 : 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
