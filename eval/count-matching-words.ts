/**
 * Counts the common words by which matching weighs: `node eval/count-matching-words.ts FILE.jsonl...`.
 * Reads JSON lines of items (`title`, `summary`, `date`) or pairs (`a`, `b`); writes ingest/match/model/words.json.
 * Keeps only words in several texts of several weeks, so that no event of one week leaves a trace.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { wordsOf } from '../ingest/match/weighted-terms.ts';

const Text = z.object({ title: z.string(), summary: z.string().nullish(), date: z.string() });
const Line = z.union([
  z.object({ a: Text, b: Text }).transform(({ a, b }) => [a, b]),
  Text.transform((text) => [text]),
]);
const MIN_TEXTS = 4;
const MIN_WEEKS = 3;
const WEEK = 7 * 86_400_000;

const texts = new Map<string, number>();
for (const file of process.argv.slice(2))
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean))
    for (const { title, summary, date } of Line.parse(JSON.parse(line)))
      texts.set(`${title} . ${summary ?? ''}`, Math.floor(Date.parse(date) / WEEK));

const seen = new Map<string, { texts: number; weeks: Set<number> }>();
for (const [text, week] of texts)
  for (const word of new Set(wordsOf(text))) {
    const count = seen.get(word) ?? { texts: 0, weeks: new Set() };
    count.texts++;
    seen.set(word, { texts: count.texts, weeks: count.weeks.add(week) });
  }

const rarest = Math.log((texts.size + 1) / 2);
const table = [...seen]
  .filter(([, count]) => count.texts >= MIN_TEXTS && count.weeks.size >= MIN_WEEKS)
  .map(([word, count]) => [word, Math.round((Math.log((texts.size + 1) / (count.texts + 1)) / rarest) * 100) / 100])
  .sort();
writeFileSync(
  new URL('../ingest/match/model/words.json', import.meta.url),
  `${JSON.stringify(Object.fromEntries(table), null, 0).replaceAll(',"', ',\n"')}\n`,
);
console.log(`${texts.size} texts, ${table.length} common words`);
