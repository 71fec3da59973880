/** A record of signals for tests of answers: real events, projected into PostgreSQL, and checks that hold for every answer. */
import { expect } from 'vitest';
import { type Answer, type AnswerContext, answerQuestion } from '../../answer/answer-question.ts';
import type { Writer } from '../../answer/model-answer.ts';
import type { QuestionReader } from '../../answer/question/model-reading.ts';
import type { EarlierTurn } from '../../answer/read-asked.ts';
import type { Opening } from '../../facts/openings/fields.ts';
import { prepareCatalogue } from '../../facts/text/catalogue.ts';
import { cleanHeadline } from '../../facts/text/item-reading.ts';
import { waitForPosition } from '../../projector/model-progress.ts';
import { brandsModel } from '../../projector/models/brands-read-model.ts';
import { namesModel } from '../../projector/models/names-read-model.ts';
import { postgresSearch } from '../../projector/models/search-queries.ts';
import { searchModel } from '../../projector/models/search-read-model.ts';
import { signalsModel } from '../../projector/models/signals-read-model.ts';
import type { Citation } from '../../schemas/ask.ts';
import { CatalogueFile } from '../../schemas/catalogue.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { signalStream } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { smallFile } from '../harness/gazetteer.ts';
import { testEngine } from '../projector/engine.ts';
import { brandRef, detectedBy, idOf, opening, understanding } from '../projector/signal-events.ts';

export const BASE_URL = 'http://clarity.test';
export const NOW = new Date('2026-11-21T04:30:00Z');

const more = CatalogueFile.parse({
  sources: ['made up'],
  brands: [{ slug: 'noor-watches', name: 'Noor Watches', category: 'watches_and_accessories' }],
  themes: [{ slug: 'footwear', name: 'Shoe trade', words: ['shoes'] }],
});
/** The catalogue of invented companies; besides, a brand that no signal names, and a theme. */
export const catalogue = prepareCatalogue({
  ...smallFile,
  brands: [...smallFile.brands, ...more.brands],
  themes: more.themes,
  version: 'small',
});

/** A brand of an understanding, named by the words of its slug. */
export const brand = (slug: string, role: 'primary' | 'secondary' = 'primary') =>
  brandRef(
    slug,
    slug.replaceAll('-', ' ').replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    role,
  );

/** What a test signal says: nothing but its headline, unless stated. */
export const understood = (headline: string, changes: Partial<Understanding> = {}): Understanding =>
  understanding({ headline, summary: null, key_facts: [], delta: null, theme: null, ...changes });

/** What a signal about one brand, or none, says of a move in no particular place. */
export const moved = (
  move: Understanding['move'],
  slug: string | null,
  headline: string,
  changes: Partial<Understanding> = {},
): Understanding => understood(headline, { move, brands: slug ? [brand(slug)] : [], cities: [], ...changes });

/** What a signal says of stores of a brand: one that opened, unless stated. */
export const stores = (
  slug: string,
  headline: string,
  city: string | null = 'Pune',
  {
    stores: count = 1,
    status = 'opened',
    ...changes
  }: Partial<Pick<Opening, 'stores' | 'status'> & Understanding> = {},
): Understanding => {
  const cities = city ? [city] : [];
  const openings = [opening({ brand: brand(slug).name, city, stores: count, status })];
  return moved('stores', slug, headline, { cities, openings, ...changes });
};

/** What a signal says of a company that raised money. */
export const raises = (slug: string, amount: string, buyers: string[] = [], day = '2026-11-20'): Understanding => {
  const { name } = brand(slug);
  const deal = { type: 'funding' as const, amount, target: name, buyers };
  return moved('deals', slug, `${name} raises ${amount}`, { deal, event_at: `${day}T04:00:00Z` });
};

/** A signal by its name, with what it says, and further events of it. */
export type NamedSignal = readonly [name: string, text: Understanding, ...more: KnownEvent[]];

export interface AnswerRecord extends AnswerContext {
  /** Answers a question without a model, or with those given; `query` answers in place of a reading of the text. */
  ask(
    text: string,
    options?: {
      reader?: QuestionReader;
      writer?: Writer;
      earlier?: readonly EarlierTurn[];
      query?: string | undefined;
    },
  ): Promise<Answer>;
  close(): Promise<void>;
}

/** Stores the signals and waits until questions see them. */
export async function answerRecord(signals: readonly NamedSignal[]): Promise<AnswerRecord> {
  const engine = await testEngine();
  engine.run([signalsModel({ baseUrl: BASE_URL }), searchModel(), namesModel(), brandsModel()]);
  let last = 0n;
  for (const [name, text, ...more] of signals) {
    const first = detectedBy(name, text);
    last = await engine.add(signalStream(idOf(name)), first, ...more);
  }
  for (const model of ['signals', 'search', 'names', 'brands'])
    if (!(await waitForPosition(engine.database, model, last, 10_000))) throw new Error(`${model} lags behind`);
  const context = {
    database: engine.database,
    search: postgresSearch(engine.database),
    catalogue,
    baseUrl: BASE_URL,
    now: () => NOW,
    reader: null,
    writer: null,
  };
  return {
    ...context,
    ask: (text, { reader, writer, earlier = [], query } = {}) =>
      answerQuestion({ ...context, reader: reader ?? null, writer: writer ?? null }, { text, earlier, query }),
    close: () => engine.close(),
  };
}

/** The stored texts of a signal's reports as docs/ask.md describes them, by the address of the report. */
const textsOf = ([name, text, ...more]: NamedSignal): ReadonlyMap<string, string> =>
  new Map(
    [
      detectedBy(name, text).data.report,
      ...more.flatMap((event) => (event.type === 'SignalReported' ? [event.data.report] : [])),
    ].map(({ url, title, summary }) => [
      url,
      [cleanHeadline(title), ...(summary === null ? [] : [summary])].join('\n'),
    ]),
  );

/** Expects that each citation is of a report of the signals, and that each of its quotes is in its text byte for byte. */
export function expectVerbatim(citations: readonly Citation[], signals: readonly NamedSignal[]): void {
  const texts = new Map(signals.map((signal) => [idOf(signal[0]) as string, textsOf(signal)]));
  for (const { id, source_url, quotes } of citations) {
    const stored = texts.get(id)?.get(source_url ?? '');
    expect(stored, `${id} is no signal of the record, or has no such report`).toBeDefined();
    for (const { text, start, end } of quotes) {
      expect(text).not.toBe('');
      expect(Buffer.from(stored?.slice(start, end) ?? '')).toEqual(Buffer.from(text));
    }
  }
}

/** Ids in a text, in order of first use. */
export const idsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\[(sig_[0-9a-f]{16})\]/g)].map(([, id]) => id ?? '')),
];

/** Expects the form of an answer that found something: each sentence ends with the signals that it cites, all of them found. */
export function expectCited({ content, citations, pieces, found }: Answer): void {
  expect(citations.length).toBeGreaterThan(0);
  expect([...new Set(citations.map(({ id }) => id))]).toEqual(idsIn(content));
  for (const { id } of citations) expect(found).toContain(id);
  const claims = pieces.filter(({ ids }) => ids.length > 0);
  for (const { text, ids } of claims) expect(text.endsWith(ids.map((id) => `[${id}]`).join(' '))).toBe(true);
  // The words beneath a sentence of a model.
  const [lead = '', ...blocks] = content.replace(/\n> .*/g, '').split('\n\n');
  const bullets = blocks.filter((block) => block.startsWith('- ')).flatMap((block) => block.split('\n'));
  for (const line of [lead, ...bullets]) expect(line).toMatch(/\[sig_[0-9a-f]{16}\]$/);
}
