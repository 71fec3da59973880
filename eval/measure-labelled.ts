/**
 * All figures on a folder of labelled data, by weeks left out: `npm run eval -- --data DIR [--errors FILE.html]
 * [--commit]`. The folder holds `items.jsonl`, and if present `pairs.jsonl`, `events.jsonl` and `folds.json`;
 * README.md says what is in them. `--errors` writes the errors as one page to read, by field; `--commit` the figures
 * that are shipped, `presentation/release-figures.json`.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { html } from 'hono/html';
import { z } from 'zod';
import { pace, printTable, progressBar } from '../bin/terminal.ts';
import { loadCatalogue, prepareCatalogue } from '../facts/text/catalogue.ts';
import { featuresOfItem } from '../ingest/match/compare-pairs.ts';
import { describeReasons, scoreLikeness, THRESHOLD } from '../ingest/match/comparison.ts';
import type { Features } from '../ingest/match/report-features.ts';
import { type StreamedItem, type StreamItem, streamItems } from '../ingest/stream-items.ts';
import type { Verdict } from '../ingest/understand/understand-item.ts';
import { formatVerdict } from '../ingest/understand/understander.ts';
import type { ReleaseFigures } from '../schemas/quality.ts';
import { type LabelledItem, Labels, readLabelled, toItemText } from './labelled-items.ts';
import { type Pair, readPairs } from './measure-matching.ts';
import {
  type Comparison,
  type Counted,
  compareItem,
  countItem,
  countSet,
  countStream,
  isWrong,
  itemFigures,
  type Measured,
  measure,
  pairFigures,
  streamFigures,
} from './scoring.ts';
import { type OwnTraining, readOwnTraining } from './train-understanding.ts';
import { type LeftOut, leaveOutWeeks } from './weeks-left-out.ts';

/** One error: what was expected, what was said, and why. */
interface ErrorEntry {
  /** The figure that it counts for. */
  readonly section: string;
  readonly key: string;
  /** The texts that were judged, a line each. */
  readonly texts: readonly string[];
  readonly expected: string;
  readonly got: string;
  /** What `--explain` says. */
  readonly why: string;
}

const STYLE =
  'body{font:15px/1.4 system-ui;margin:2rem auto;max-width:75rem;padding:0 1rem}table{border-collapse:collapse;width:100%}' +
  'td,th{border-bottom:1px solid #ccc;padding:.4rem .6rem;text-align:left;vertical-align:top}p{margin:0 0 .2rem}' +
  'code,small{color:#555}td:first-child{width:45%}';

const row = ({ key, texts, expected, got, why }: ErrorEntry) =>
  html`<tr id="${key}"><td>${texts.map((text) => html`<p>${text}</p>`)}<code>${key}</code></td><td>${expected || '–'}</td><td>${got || '–'}</td><td><small>${why}</small></td></tr>`;

/** Writes the page. Texts of sources are escaped. */
export async function errorsPage(errors: readonly ErrorEntry[]): Promise<string> {
  const sections = [...Map.groupBy(errors, ({ section }) => section)];
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Errors</title><style>${STYLE}</style></head>
<body>
<h1>${errors.length} errors</h1>
<ul>${sections.map(([name, found]) => html`<li><a href="#section ${name}">${name}</a>: ${found.length}</li>`)}</ul>
${sections.map(
  ([name, found]) => html`<h2 id="section ${name}">${name}</h2>
<table><tr><th>text</th><th>expected</th><th>got</th><th>why</th></tr>
${found.map(row)}</table>
`,
)}</body>
</html>
`;
  return String(await page);
}

/** One line of `events.jsonl`: an item of a stream, in order of time, with the number of the event that it reports. */
const EventLine = z.object({
  key: z.string(),
  date: z.string(),
  outlet: z.string(),
  title: z.string(),
  summary: z.string().nullable().default(null),
  url: z.string(),
  event: z.union([z.number(), z.string()]).nullable(),
});
type EventLine = z.infer<typeof EventLine>;

/** A section of the output: what was measured on what, and what was wrong. */
interface Part {
  readonly title: string;
  readonly figures: readonly Measured[];
  readonly errors: readonly ErrorEntry[];
}

/** Shows the progress of one phase on standard error. */
async function withBar<Result>(
  phase: string,
  unit: string,
  work: (onProgress: (done: number, total: number) => void) => Promise<Result>,
) {
  const bar = progressBar('eval', unit);
  const advance = pace();
  try {
    return await work((done, total) => bar.show({ ...advance(done, total), phase }));
  } finally {
    bar.end();
  }
}

/** Bars move when the terminal gets a turn. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

// Items.

/** Which reasons of `--explain` belong to a figure. */
const REASONS: Readonly<Record<string, readonly string[]>> = {
  relevance: ['relevant'],
  primary: ['brands', 'subject'],
  mentioned: ['brands', 'subject'],
  results: ['result', 'move'],
  deals: ['deal', 'move'],
};

function whyOf(figure: string, { reasons }: Verdict): string {
  const field = figure.replace('published_', '');
  const fields = REASONS[field] ?? [field, 'move'];
  return reasons
    .filter((reason) => fields.includes(reason.field))
    .map((reason) => `${reason.field}: ${reason.rule} (${reason.words})`)
    .join('; ');
}

const itemError = (item: LabelledItem, verdict: Verdict, { figure, wanted, said }: Comparison): ErrorEntry => ({
  section: figure,
  key: item.key,
  texts: [`${item.date ?? ''} ${item.outlet}`, item.title, item.summary ?? ''],
  expected: wanted.join(', '),
  got: said.join(', '),
  why: whyOf(figure, verdict),
});

async function measureItems(items: readonly LabelledItem[], folds: readonly LeftOut[]): Promise<Part> {
  const counted: Counted[] = [];
  const errors: ErrorEntry[] = [];
  await withBar('items', 'items', async (onProgress) => {
    for (const { understander, holds } of folds)
      for (const item of items.filter(({ date }) => holds(date))) {
        const verdict = await understander.understand(toItemText(item));
        const comparisons = compareItem(item, Labels.parse(formatVerdict(item.key, verdict, false)));
        counted.push({ day: item.date ?? '', counts: countItem(comparisons) });
        // A published fact of a relevant item is in the section of the fact already.
        const wrong = comparisons.filter(
          (one) => isWrong(one) && !(item.relevant && one.figure.startsWith('published_')),
        );
        errors.push(...wrong.map((one) => itemError(item, verdict, one)));
        onProgress(counted.length, items.length);
        if (counted.length % 50 === 0) await turn();
      }
  });
  const encoded = folds.every(({ understander }) => understander.isEncoded);
  const title = `${counted.length} items by weeks left out, ${encoded ? 'with the encoder' : 'by linear models and rules'}`;
  return { title, figures: measure(counted, itemFigures), errors };
}

// Pairs.

async function measurePairs(pairs: readonly Pair[], folds: readonly LeftOut[]): Promise<Part> {
  const counted: Counted[] = [];
  const errors: ErrorEntry[] = [];
  for (const { understander, holds } of folds)
    for (const { key, a, b, same } of pairs.filter((pair) => holds(pair.a.date))) {
      const { score, numbers } = scoreLikeness(
        await featuresOfItem(a, understander),
        await featuresOfItem(b, understander),
      );
      const said = score >= THRESHOLD;
      counted.push({ day: a.date, counts: countSet('same', same ? ['same'] : [], said ? ['same'] : []) });
      if (said === same) continue;
      errors.push({
        section: 'pairs',
        key,
        texts: [`${a.date} and ${b.date}`, a.title, b.title],
        expected: same ? 'same' : 'not same',
        got: `${said ? 'same' : 'not same'}, ${score.toFixed(2)}`,
        why: describeReasons(numbers).join('; '),
      });
    }
  return {
    title: `${counted.length} pairs; the weights of matching are the shipped ones, which may have been trained on them`,
    figures: measure(counted, (counts) => pairFigures(counts, 'pairs')),
    errors,
  };
}

// The stream.

/** Events that are split over signals, and signals that mix events: one entry each, with how every item got to its place. */
function streamErrors(
  lines: readonly EventLine[],
  streamed: readonly StreamedItem[],
): (ErrorEntry & { readonly day: string })[] {
  const rows = lines.flatMap((line, index) => {
    const one = streamed[index];
    return one?.signal ? [{ line, one, event: line.event === null ? `alone ${line.key}` : `event ${line.event}` }] : [];
  });
  const grouped = (keyOf: (row: (typeof rows)[number]) => string) => Map.groupBy(rows, keyOf);
  const entry = (section: string, expected: string, found: readonly (typeof rows)[number][]) => ({
    day: found[0]?.line.date ?? '',
    section,
    key: found.map(({ line }) => line.key).join(' '),
    texts: found.map(({ line }) => `${line.date} ${line.outlet}: ${line.title}`),
    expected,
    got: found.map(({ one, event }) => `${one.signal}, ${event}`).join('; '),
    why: found
      .map(({ one }) =>
        `${one.matched?.as ?? ''} ${one.matched?.score?.toFixed(2) ?? ''} ${one.matched?.reasons.join(', ') ?? ''}`.trim(),
      )
      .join('; '),
  });
  const distinct = (found: readonly (typeof rows)[number][], keyOf: (row: (typeof rows)[number]) => string | null) =>
    new Set(found.map(keyOf)).size > 1;
  return [
    ...[...grouped(({ event }) => event)]
      .filter(([, found]) => distinct(found, ({ one }) => one.signal))
      .map(([event, found]) => entry('split events', `one signal for ${event}`, found)),
    ...[...grouped(({ one }) => one.signal ?? '')]
      .filter(([, found]) => distinct(found, ({ event }) => event))
      .map(([, found]) => entry('mixed signals', 'one event', found)),
  ];
}

const asStreamItem = (line: EventLine): StreamItem => ({ ...line, published_at: line.date });

/** Every fold reads the whole stream, so that a week has what came before it; only what the fold has not seen is counted. */
async function measureStream(lines: readonly EventLine[], folds: readonly LeftOut[], all: boolean): Promise<Part> {
  const counted: Counted[] = [];
  const errors: ErrorEntry[] = [];
  await withBar(all ? 'stream with noise' : 'stream', 'items', async (onProgress) => {
    for (const [done, { understander, holds }] of folds.entries()) {
      const streamed = await streamItems(lines.map(asStreamItem), understander, {
        all,
        onProgress: (read) => onProgress(done * lines.length + read, folds.length * lines.length),
      });
      const placed = lines.map(({ key, date, event }, index) => ({
        key,
        day: date,
        event,
        signal: streamed[index]?.signal ?? null,
      }));
      counted.push(...countStream(placed).filter(({ day }) => holds(day)));
      if (!all) errors.push(...streamErrors(lines, streamed).filter(({ day }) => holds(day)));
    }
  });
  const matched = counted.filter(({ counts }) => 'b3.items' in counts).length;
  const how = all ? 'noise matched too' : `as in service: ${matched} are part of a signal`;
  return { title: `a stream of ${lines.length} items, ${how}`, figures: measure(counted, streamFigures), errors };
}

/** All pairs of the stream, by their score alone. A pair belongs to the week of its later item. */
async function measureAllPairs(lines: readonly EventLine[], folds: readonly LeftOut[]): Promise<Part> {
  const counted: Counted[] = [];
  await withBar('all pairs', 'items', async (onProgress) => {
    let done = 0;
    for (const { understander, holds } of folds) {
      const features: Features[] = [];
      for (const line of lines) features.push(await featuresOfItem(line, understander));
      for (const [later, one] of features.entries()) {
        const own = lines[later];
        if (!own || !holds(own.date)) continue;
        for (const [earlier, other] of features.slice(0, later).entries()) {
          const same = own.event !== null && own.event === lines[earlier]?.event;
          const said = scoreLikeness(other, one).score >= THRESHOLD;
          if (!same && !said) continue;
          counted.push({ day: own.date, counts: countSet('same', same ? ['same'] : [], said ? ['same'] : []) });
        }
        onProgress(++done, lines.length);
        if (done % 20 === 0) await turn();
      }
    }
  });
  return {
    title: `all pairs of these ${lines.length} items, by their score`,
    figures: measure(counted, (counts) => pairFigures(counts, 'stream_pairs')),
    errors: [],
  };
}

// The run.

/** Reads a stream of items with their events. @throws when a line is none */
export async function readEvents(file: string): Promise<EventLine[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim());
  return lines.map((line, index) => {
    const parsed = EventLine.safeParse(JSON.parse(line));
    if (!parsed.success) throw new Error(`${file}, line ${index + 1}: ${z.prettifyError(parsed.error)}`);
    return parsed.data;
  });
}

/**
 * Measures everything that a folder has labels for.
 * @param always trains the models of every fold; the project's own items when unset
 * @throws Error naming the file and the invalid line
 */
export async function measureLabelled(folder: string, always?: OwnTraining): Promise<Part[]> {
  const catalogue = prepareCatalogue(await loadCatalogue(process.env.CATALOGUE ?? 'deploy/catalogue'));
  const items = await readLabelled(join(folder, 'items.jsonl'));
  const own = always ?? (await readOwnTraining());
  const folds = await withBar('training', 'models', (onProgress) =>
    leaveOutWeeks(folder, items, own, catalogue, onProgress),
  );
  const parts = [await measureItems(items, folds)];
  const [pairs, events] = [join(folder, 'pairs.jsonl'), join(folder, 'events.jsonl')];
  if (existsSync(pairs)) parts.push(await measurePairs(readPairs(pairs), folds));
  if (existsSync(events)) {
    const lines = await readEvents(events);
    parts.push(await measureStream(lines, folds, false));
    parts.push(await measureStream(lines, folds, true));
    parts.push(await measureAllPairs(lines, folds));
  }
  return parts;
}

/** The figures that the service shows, by their names here; see `eval/README.md`. */
const SHIPPED = [
  'relevance_f1',
  'move_macro_f1',
  'primary_f1',
  'cities_f1',
  'delta_accuracy',
  'people_f1',
  'openings_f1',
  'results_f1',
  'deals_f1',
  'published_people_precision',
  'published_openings_precision',
  'published_results_precision',
  'published_deals_precision',
  'pairs_in_signals_precision',
  'pairs_in_signals_recall',
  'b3_f1',
  'whole_events',
];

/** What the service shows of the measurement: the first part that has a figure counts, which is as in service. */
export function shippedFigures(parts: readonly Part[], measured_on: string): ReleaseFigures {
  const all = parts.flatMap(({ figures }) => figures);
  const round = (value: number): number => Math.round(value * 1_000) / 1_000;
  return {
    measured_on,
    set: parts
      .filter((_, index) => index === 0 || index === 2)
      .map(({ title }) => title)
      .join('; '),
    figures: SHIPPED.flatMap((name) => {
      const found = all.find(({ figure }) => figure === name);
      return found ? [{ figure: name, value: round(found.value), low: round(found.low), high: round(found.high) }] : [];
    }),
  };
}

async function main(): Promise<void> {
  const {
    data = '',
    errors,
    commit = false,
  } = parseArgs({
    options: { data: { type: 'string' }, errors: { type: 'string' }, commit: { type: 'boolean' } },
  }).values;
  const parts = await measureLabelled(data);
  const text = (value: number): string => value.toFixed(3);
  for (const { title, figures } of parts) {
    console.log(`\n${title}`);
    printTable(
      ['figure', 'value', '95 % interval'],
      figures.map(({ figure, value, low, high }) => [figure, text(value), `${text(low)} to ${text(high)}`]),
    );
  }
  if (commit) {
    const shipped = shippedFigures(parts, new Date().toISOString().slice(0, 10));
    const file = new URL('../presentation/release-figures.json', import.meta.url);
    writeFileSync(file, `${JSON.stringify(shipped, null, 2)}\n`);
  }
  if (errors === undefined) return;
  const found = parts.flatMap((part) => part.errors);
  writeFileSync(errors, await errorsPage(found));
  console.log(`\n${found.length} errors: ${errors}`);
}

if (import.meta.main) await main();
