/**
 * Trains which signals answer a question: `node eval/ask/train-relevance.ts --data DIR` writes `answer/relevance.json`, and prints
 * how well the questions of each file are answered by what was trained on the other files. DIR has
 *
 * - `items*.jsonl`: `{key, date, outlet, title, summary, url}`, of which a record is made;
 * - `questions*.jsonl`: `{q, right, near}`, a file for each author: the addresses of reports of all signals that an answer must
 *   show, and of those that it may also show.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { candidatesOf } from '../../answer/find-evidence.ts';
import { settled } from '../../answer/question/words-left.ts';
import { readAsked } from '../../answer/read-asked.ts';
import { chanceOf, comparedWords, type Network, signsOf, type Turn, towardsReports } from '../../answer/relevance.ts';
import { openCatalogue } from '../../bin/services.ts';
import { foundItem } from '../../ingest/stream-items.ts';
import { meaningsByEncoder } from '../../ingest/understand/encoder/item-encoder.ts';
import { type Database, query as queryRows } from '../../log/postgres/database.ts';
import { postgresSearch } from '../../projector/models/search-queries.ts';
import { ItemVector } from '../../schemas/story.ts';
import { bytesOf, MEANING_LENGTH } from '../../signal/meaning.ts';
import { BASE_URL, readRecordedSignals, withOpenRecord } from '../filled-record.ts';
import { adam, seeded, shuffle } from './training-steps.ts';

const Item = z.object({
  key: z.string(),
  date: z.string(),
  outlet: z.string(),
  title: z.string(),
  summary: z.string().nullable(),
  url: z.string(),
});
const Question = z.object({
  q: z.string(),
  right: z.array(z.string()).default([]),
  near: z.array(z.string()).default([]),
});

/** Lines of all files of a folder with names of a form. */
const readLines = <Row>(dir: string, form: string, Row: z.ZodType<Row>): (readonly [file: string, Row])[] =>
  globSync(form, { cwd: dir })
    .sort()
    .flatMap((file) =>
      readFileSync(join(dir, file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => [file, Row.parse(JSON.parse(line))] as const),
    );

// The turn of the meaning of a question: softmax over all signals, by the nearest report of each.

const DIRECTIONS = 32;
const TEMPERATURE = 0.03;
const round = (value: number): number => Math.round(value * 1000) / 1000;
const rowsOf = (values: Float64Array, columns: number): number[][] =>
  Array.from({ length: values.length / columns }, (_, row) =>
    [...values.subarray(row * columns, (row + 1) * columns)].map(round),
  );

/** The numbers of a vector, of length 1. */
function unit({ values }: ItemVector): Float64Array {
  const numbers = bytesOf(values);
  const length = Math.hypot(...numbers) || 1;
  return Float64Array.from(numbers, (value) => value / length);
}
const dot = (one: Float64Array, other: Float64Array): number =>
  one.reduce((sum, value, index) => sum + value * (other[index] as number), 0);

interface Labelled {
  readonly file: string;
  readonly q: string;
  readonly meaning: ItemVector;
  /** Ids of signals. */
  readonly right: ReadonlySet<string>;
  readonly near: ReadonlySet<string>;
}

/** Examples in another order for each pass. */
function* shuffled<Example>(examples: readonly Example[], passes: number, random: () => number): Generator<Example> {
  const order = [...examples];
  for (let pass = 0; pass < passes; pass++) yield* shuffle(order, random);
}

/** @param vectors those of the reports of each signal, by its id */
function trainTurn(examples: readonly Labelled[], vectors: ReadonlyMap<string, readonly Float64Array[]>): Turn {
  const random = seeded();
  const [into, out] = [0.2, 0.02].map((size) =>
    Float64Array.from({ length: MEANING_LENGTH * DIRECTIONS }, () => (random() - 0.5) * size),
  ) as [Float64Array, Float64Array];
  const steps = [adam(into, 0.01), adam(out, 0.01)] as const;
  const ids = [...vectors.keys()];
  const answerable = examples.filter(({ right }) => ids.some((id) => right.has(id)));
  for (const { meaning, right, near } of shuffled(answerable, 8, random)) {
    const own = unit(meaning);
    const inner = new Float64Array(DIRECTIONS);
    for (let row = 0; row < MEANING_LENGTH; row++)
      for (let column = 0; column < DIRECTIONS; column++)
        inner[column] = (inner[column] as number) + (own[row] as number) * (into[row * DIRECTIONS + column] as number);
    const moved = own.map((value, row) => value + dot(inner, out.subarray(row * DIRECTIONS, (row + 1) * DIRECTIONS)));
    const nearest = ids.map((id) => {
      const all = (vectors.get(id) ?? []).map((vector) => ({ vector, cosine: dot(moved, vector) }));
      return { id, ...all.reduce((best, one) => (one.cosine > best.cosine ? one : best)) };
    });
    const others = nearest.filter(({ id }) => !near.has(id));
    const top = Math.max(...others.map(({ cosine }) => cosine));
    const powers = others.map(({ cosine }) => Math.exp((cosine - top) / TEMPERATURE));
    const total = powers.reduce((sum, power) => sum + power, 0);
    const pull = new Float64Array(MEANING_LENGTH);
    for (const [index, { id, vector }] of others.entries()) {
      const error = ((powers[index] as number) / total - (right.has(id) ? 1 / right.size : 0)) / TEMPERATURE;
      if (Math.abs(error) > 1e-4)
        for (let row = 0; row < MEANING_LENGTH; row++)
          pull[row] = (pull[row] as number) + error * (vector[row] as number);
    }
    const back = new Float64Array(DIRECTIONS);
    for (let row = 0; row < MEANING_LENGTH; row++)
      for (let column = 0; column < DIRECTIONS; column++)
        back[column] = (back[column] as number) + (pull[row] as number) * (out[row * DIRECTIONS + column] as number);
    const [ofInto, ofOut] = [new Float64Array(into.length), new Float64Array(out.length)];
    for (let row = 0; row < MEANING_LENGTH; row++)
      for (let column = 0; column < DIRECTIONS; column++) {
        ofInto[row * DIRECTIONS + column] = (own[row] as number) * (back[column] as number);
        ofOut[row * DIRECTIONS + column] = (pull[row] as number) * (inner[column] as number);
      }
    steps[0](ofInto, 5e-4);
    steps[1](ofOut, 5e-4);
  }
  return { into: rowsOf(into, DIRECTIONS), out: rowsOf(out, DIRECTIONS) };
}

// The network: each candidate of a question by itself, right or not; what may also be shown counts for a third.

const HIDDEN = 16;
const NEARLY = 0.3;
/** Signs of meaning, which are left out for one question in ten: the encoder may be unavailable. */
const MEANING_SIGNS: readonly [from: number, to: number] = [24, 29];

interface Judged {
  readonly file: string;
  readonly total: number;
  readonly rows: readonly { readonly holds: number; readonly signs: readonly number[] }[];
}

function trainNetwork(examples: readonly Judged[]): Network {
  const random = seeded();
  const signs = examples.find(({ rows }) => rows.length > 0)?.rows[0]?.signs.length ?? 0;
  const width = signs + 1;
  const weights = Float64Array.from({ length: HIDDEN * width + HIDDEN + 1 }, () => (random() - 0.5) * 0.3);
  const step = adam(weights, 1e-3);
  const networkOf = (): Network => ({
    hidden: rowsOf(weights.subarray(0, HIDDEN * width), width),
    out: [...weights.subarray(HIDDEN * width)].map(round),
  });
  const passes = 12;
  let done = 0;
  for (const { rows } of shuffled(examples, passes, random)) {
    const isBare = random() < 0.1;
    const gradient = new Float64Array(weights.length);
    for (const { holds, signs: all } of rows) {
      const own = isBare ? all.map((sign, at) => (at >= MEANING_SIGNS[0] && at < MEANING_SIGNS[1] ? 0 : sign)) : all;
      const hidden = Array.from({ length: HIDDEN }, (_, unitAt) => {
        let sum = weights[unitAt * width + signs] as number;
        for (let at = 0; at < signs; at++) sum += (weights[unitAt * width + at] as number) * (own[at] as number);
        return Math.tanh(sum);
      });
      const outAt = HIDDEN * width;
      const sum = hidden.reduce(
        (total, value, unitAt) => total + value * (weights[outAt + unitAt] as number),
        weights[outAt + HIDDEN] as number,
      );
      const error = (1 / (1 + Math.exp(-sum)) - holds) / 8;
      gradient[outAt + HIDDEN] = (gradient[outAt + HIDDEN] as number) + error;
      for (const [unitAt, value] of hidden.entries()) {
        gradient[outAt + unitAt] = (gradient[outAt + unitAt] as number) + error * value;
        const inner = error * (weights[outAt + unitAt] as number) * (1 - value * value);
        for (let at = 0; at <= signs; at++)
          gradient[unitAt * width + at] =
            (gradient[unitAt * width + at] as number) + inner * (at < signs ? (own[at] as number) : 1);
      }
    }
    step(gradient, 0.004 * (1 - done++ / (passes * examples.length)));
  }
  return networkOf();
}

/** Splits the files of authors into so many parts, each of which is judged by what was trained on the others. */
const PARTS = 4;

const Meanings = z.object({ reports: z.array(z.object({ meaning: ItemVector })) });

async function readVectors(database: Database): Promise<ReadonlyMap<string, readonly Float64Array[]>> {
  const text = 'SELECT key, row FROM read.meanings';
  const rows = await queryRows(database, text, [], z.object({ key: z.string(), row: z.string() }));
  return new Map(
    rows.map(({ key, row }) => [key, Meanings.parse(JSON.parse(row)).reports.map(({ meaning }) => unit(meaning))]),
  );
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { data: { type: 'string' } } });
  if (!values.data) throw new Error('--data DIR: a folder with items*.jsonl and questions*.jsonl');
  const items = readLines(values.data, 'items*.jsonl', Item)
    .map(([, item]) => item)
    .sort((one, other) => (one.date < other.date ? -1 : one.date > other.date ? 1 : 0));
  const questions = readLines(values.data, 'questions*.jsonl', Question);
  const files = [...new Set(questions.map(([file]) => file))];
  const partOf = (file: string): number => files.indexOf(file) % PARTS;
  const now = new Date(`${items.at(-1)?.date}T14:00:00Z`);
  const catalogue = await openCatalogue();
  const encode = meaningsByEncoder(console.warn);
  await withOpenRecord(catalogue, async ({ database, add }) => {
    const at = (date: string): string => `${date}T05:00:00Z`;
    await add(
      items.map(({ date, summary, ...item }) => foundItem({ ...item, summary: summary ?? '', published_at: at(date) })),
    );
    const ofUrl = new Map(
      (await readRecordedSignals(database)).flatMap(({ id, urls }) => urls.map((url) => [url, id])),
    );
    const idsOf = (urls: readonly string[]): ReadonlySet<string> =>
      new Set(urls.flatMap((url) => ofUrl.get(url) ?? []));
    const labelled: Labelled[] = [];
    for (const [file, { q, right, near }] of questions) {
      const meaning = await encode(q);
      if (!meaning) throw new Error('the encoder is unavailable');
      labelled.push({ file, q, meaning, right: idsOf(right), near: idsOf(near) });
    }
    const vectors = await readVectors(database);
    const turns = Array.from({ length: PARTS }, (_, part) =>
      trainTurn(
        labelled.filter(({ file }) => partOf(file) !== part),
        vectors,
      ),
    );
    const context = {
      database,
      search: postgresSearch(database),
      catalogue,
      baseUrl: BASE_URL,
      now: () => now,
      reader: null,
    };
    const judged: Judged[] = [];
    for (const { file, q, meaning, right, near } of labelled) {
      const { query: read } = await readAsked({ text: q, earlier: [] }, [], { ...context, meaningOf: encode });
      const query = settled(read);
      const words = comparedWords(q, query);
      const own = towardsReports(meaning, turns[partOf(file)]);
      const all = await candidatesOf(query, { ...context, words, isWide: false, meaning: async () => own });
      const signs = signsOf(query, words, all);
      const rows = all.map(({ evidence: { signal } }, index) => ({
        holds: right.has(signal.id) ? 1 : near.has(signal.id) ? NEARLY : 0,
        signs: signs[index] ?? [],
      }));
      judged.push({ file, total: right.size, rows });
    }
    const figures = files.map((file) => {
      const network = trainNetwork(judged.filter((one) => partOf(one.file) !== partOf(file)));
      const own = judged.filter((one) => one.file === file);
      const best = own.map(({ total, rows }) => {
        const chances = rows.map(({ signs }) => chanceOf(network, signs));
        const top = Math.max(0, ...chances);
        return { total, top, isRight: rows[chances.indexOf(top)]?.holds === 1 };
      });
      const answerable = best.filter(({ total }) => total > 0);
      const share = (some: readonly unknown[], of: readonly unknown[]): number =>
        round(some.length / Math.max(1, of.length));
      const sure = best.filter(({ top }) => top >= 0.5);
      return {
        file,
        questions: own.length,
        'first is right': share(
          answerable.filter(({ isRight }) => isRight),
          answerable,
        ),
        'said to answer': share(sure, best),
        'of these right': share(
          sure.filter(({ isRight }) => isRight),
          sure,
        ),
      };
    });
    console.table(figures);
    const result = { network: trainNetwork(judged), turn: trainTurn(labelled, vectors) };
    writeFileSync(new URL('../../answer/relevance.json', import.meta.url), `${JSON.stringify(result)}\n`);
  });
  process.exit(0);
}
