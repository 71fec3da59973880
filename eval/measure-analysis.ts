/**
 * How many signals get an analysis: a stream of items through understanding, matching and analysis, in memory. Prints the
 * share of signals about catalogue brands that have a sentence once the record is old enough; `--list` adds the sentences,
 * each with the headlines that it was computed from, for a reader to judge.
 *
 *     node eval/measure-analysis.ts FILE.jsonl [--list] [--days 30]
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { openUnderstanding } from '../bin/services.ts';
import { companiesIn } from '../ingest/analysis-facts.ts';
import { writeAnalysis } from '../ingest/analysis-sentences.ts';
import { type StreamItem, streamItems } from '../ingest/stream-items.ts';
import type { MoveFacts, RecordedMove } from '../projector/models/moves-queries.ts';
import { movesModel } from '../projector/models/moves-read-model.ts';
import type { KnownEvent } from '../schemas/events.ts';
import type { SignalId } from '../schemas/scalar.ts';

const DAY = 86_400_000;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false }, days: { type: 'string', default: '30' } },
});
const [file] = positionals;
if (!file) throw new Error('name a file of JSON lines, as clarity understand --stream reads them');

/** Items of one day keep their order: no two are published at one moment. */
const items = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line, index): StreamItem => {
    const { date, ...item } = JSON.parse(line) as StreamItem & { date: string };
    return { ...item, published_at: new Date(Date.parse(date) + index).toISOString() };
  });

const understander = await openUnderstanding(pino({ level: 'silent' }));
const events: KnownEvent[] = [];
await streamItems(items, understander, { onEvent: (event) => events.push(event) });

const model = movesModel();
const rows = new Map<string, ReturnType<typeof model.evolve>>();
for (const event of events)
  for (const key of model.keys(event))
    rows.set(
      key,
      model.evolve(rows.get(key) ?? null, event, key, (other) => rows.get(other) ?? null),
    );

/** The public signals about catalogue brands, each once, in order of publication. */
const moves = [...rows]
  .flatMap(([signal, row]): RecordedMove[] => {
    const [, table] = model.tables;
    const [record] = (row && table?.records(row, signal)) ?? [];
    if (!record) return [];
    const facts = JSON.parse(String(record.facts)) as MoveFacts;
    return [{ ...facts, signal: signal as SignalId, published_at: String(record.published_at) }];
  })
  .toSorted((one, other) => Date.parse(one.published_at) - Date.parse(other.published_at));

const companies = companiesIn(understander.catalogue.catalogue.brands);
const since = moves[0]?.published_at ?? null;
const from = Date.parse(since ?? '') + Number(values.days) * DAY;
const counts = { signals: 0, why: 0, watch: 0, any: 0 };
for (const [index, signal] of moves.entries()) {
  if (Date.parse(signal.published_at) < from) continue;
  const sentences = writeAnalysis({ signal, companies, record: { since, moves: moves.slice(0, index) } });
  const has = (field: string): boolean => sentences.some((one) => one.field === field);
  counts.signals++;
  if (has('why_it_matters')) counts.why++;
  if (has('what_to_watch')) counts.watch++;
  if (sentences.length > 0) counts.any++;
  if (!values.list) continue;
  for (const { field, text, signals } of sentences) {
    console.log(`${signal.published_at.slice(0, 10)} ${signal.headline}\n  ${field}: ${text}`);
    for (const id of signals.slice(-6)) {
      const cited = moves.find((one) => one.signal === id);
      console.log(`    ${cited?.published_at.slice(0, 10)} ${cited?.headline}`);
    }
  }
}
console.log(JSON.stringify({ since, ...counts, share: Math.round((counts.any / counts.signals) * 1000) / 1000 }));
