import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrateAccess } from '../../access/access.ts';
import { modelBudget, modelSpend } from '../../access/quota/usage.ts';
import type { Draft } from '../../answer/draft.ts';
import { type WrittenSentence, withModel } from '../../answer/model-answer.ts';
import { questionModel } from '../../answer/question-model.ts';
import { detailExample } from '../../api/description/examples.ts';
import { type ModelOptions, openLanguageModel } from '../../log/language-model.ts';
import { modelCalled } from '../../schemas/observation.ts';
import { type TestDatabase, testDatabase } from '../harness/database.ts';
import { brandSlug } from '../harness/ids.ts';
import { type Answerer, closeProvider, completion, openProvider } from '../harness/model-provider.ts';
import { exampleEvidence } from './evidence.ts';

const { id } = detailExample;
const evidence = exampleEvidence({ about: [brandSlug('kiri-foods')] });
const own: Draft = {
  lead: [{ markdown: 'Own words.', ids: [id], quotes: [] }],
  items: [],
  notes: [],
  basis: 'named',
};
const QUESTION = 'What did Kiri Foods open?';
const HEADLINE = 'Kiri Foods opens 40 stores in Pune';
/** A sentence that rests on the headline. */
const quoting = (text: string, report = 'r1'): WrittenSentence => ({ text, rests_on: [{ report, words: HEADLINE }] });

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
  await migrateAccess(test.database);
});
beforeEach(async () => void (await test.database.query('DELETE FROM access.model_spend')));
afterAll(() => test.close());
afterEach(() => closeProvider());

/** A provider on loopback, and the options to use it. */
async function provider(answer: Answerer): Promise<ModelOptions & { readonly failures: unknown[] }> {
  const failures: unknown[] = [];
  return {
    baseUrl: await openProvider(answer),
    apiKey: 'secret',
    model: 'm',
    failures,
    prices: { input: 1, output: 2 },
    budget: modelBudget(test.database, 1, () => new Date()),
    report: (error) => void failures.push(error),
  };
}
const HASTE = { timeout: 50 };

/** Writes sentences, and lets all pass of which it is asked whether they follow. */
const says =
  (...sentences: readonly WrittenSentence[]): Answerer =>
  (request, response) => {
    text(request).then((body) => {
      const { messages } = JSON.parse(body);
      const asked = JSON.parse(messages.at(-1).content);
      const answer = asked.sentences ? { follow: asked.sentences.map((one: { n: number }) => one.n) } : { sentences };
      response.setHeader('content-type', 'application/json').end(completion(JSON.stringify(answer)));
    });
  };
const openModel = (options: ModelOptions, timing?: typeof HASTE) => questionModel(openLanguageModel(options), timing);
const draftBy = async (options: ModelOptions, timing?: typeof HASTE) =>
  withModel(openModel(options, timing), QUESTION, own, [evidence]);
const sentencesIn = ({ composed }: Draft): string[] => composed?.sentences.map(({ markdown }) => markdown) ?? [];

describe('an answer with a model', () => {
  it('given supported sentences, then they are added to the answer, and the cost of both calls is counted', async () => {
    const asked: string[] = [];
    const good = says(quoting('Kiri Foods has opened 40 stores in Pune.'));
    const options = await provider((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part) => void parts.push(part));
      request.on('end', () => void asked.push(Buffer.concat(parts).toString()));
      good(request, response);
    });
    const calls: object[] = [];
    const stop = modelCalled.subscribe((call) => void calls.push(call));
    const spent: object[] = [];
    const { draft, cost_usd } = await draftBy({ ...options, spent: (call) => void spent.push(call) });
    stop();

    const tokens = { input_tokens: 1_000, output_tokens: 100 };
    expect(calls).toEqual(['compose', 'judge'].map((purpose) => ({ purpose, outcome: 'answered', ...tokens })));
    expect(spent).toEqual([
      expect.objectContaining({ purpose: 'compose', cost_usd: 0.0012, ...tokens }),
      expect.objectContaining({ purpose: 'judge', ...tokens }),
    ]);
    expect(sentencesIn(draft)).toEqual(['Kiri Foods has opened 40 stores in Pune.']);
    expect(draft.dropped).toBe(0);
    expect(cost_usd).toBeCloseTo(0.0024);
    expect(asked).toHaveLength(2);
    for (const body of asked) {
      expect(body).toContain(HEADLINE);
      expect(body).toContain('json_schema');
      expect(body).not.toContain(id);
    }
  });

  it.each<[string, Answerer]>([
    ['only lies', says(quoting('Kiri Foods closes in Surat.'))],
    ['an error', (_, response) => void response.writeHead(500).end('{"error":{"message":"no"}}')],
    ['no JSON', (_, response) => void response.end('<html>')],
    ['text in place of sentences', (_, response) => void response.end(completion('Sure!'))],
    ['sentences cut off', (_, response) => void response.end(completion('{"sentences":[{"text":"Kiri', 'length'))],
    ['a connection cut off', (request) => void request.socket.destroy()],
  ])('given %s, then the answer is written without the model', async (_, answer) => {
    const { draft } = await draftBy(await provider(answer));

    expect(draft).toEqual(own);
  });

  it('given a slow provider, then the answer does not wait for it', async () => {
    const options = await provider(() => undefined);
    const { draft, cost_usd } = await draftBy(options, HASTE);

    expect([draft, cost_usd, options.failures.length]).toEqual([own, 0, 1]);
  });

  it('given a provider that hangs, then one question waits for it, and it is used again once it answers in the background', async () => {
    let hangs = true;
    let calls = 0;
    const good = says(quoting('Kiri Foods has opened 40 stores in Pune.'));
    const options = await provider((request, response) => {
      calls += 1;
      if (!hangs) good(request, response);
    });
    const model = openModel(options, { timeout: 200 });
    const ask = async (): Promise<Draft> => (await withModel(model, QUESTION, own, [evidence])).draft;
    await ask();
    const started = performance.now();
    for (let at = 0; at < 20; at++) expect(await ask()).toEqual(own);
    expect(performance.now() - started).toBeLessThan(200);
    expect(calls).toBe(1);

    hangs = false;
    await expect.poll(async () => sentencesIn(await ask())).toHaveLength(1);
  });

  const NOON = new Date('2026-11-21T06:30:00Z');
  const budgetOf = (usd: number, at = NOON) => modelBudget(test.database, usd, () => at);
  const good = says(quoting('Kiri Foods opened 40 stores in Pune.'));

  it('given a daily budget that another process has spent, then no request is sent until the next day', async () => {
    let asked = 0;
    const options = await provider((request, response) => {
      asked += 1;
      good(request, response);
    });
    const other = await budgetOf(0.008).reserve(0.006);
    await other?.settle(0.006);
    expect(await openModel({ ...options, budget: budgetOf(0.008) }).write('?', '', [])).toBeNull();
    expect(asked).toBe(0);
    const tomorrow = new Date('2026-11-22T00:00:01Z');
    expect(await openModel({ ...options, budget: budgetOf(0.008, tomorrow) }).write('?', '', [])).not.toBeNull();
    expect(await modelSpend(test.database, tomorrow)).toBeCloseTo(0.0012);
  });

  it('given calls that fail or time out, then their possible cost is counted', async () => {
    const failing = await provider((_, response) => void response.writeHead(500).end('{}'));
    await openModel({ ...failing, budget: budgetOf(1) }).write('?', '', []);
    const afterFailure = await modelSpend(test.database, NOON);
    // All tokens of the longest answer, at 2 dollars per million, and some of the question.
    expect(afterFailure).toBeGreaterThan(0.0018);
    closeProvider();
    const slow = await provider(() => undefined);
    await openModel({ ...slow, budget: budgetOf(1) }, HASTE).write('?', '', []);
    expect(await modelSpend(test.database, NOON)).toBeCloseTo(2 * afterFailure);
  });

  it('given many concurrent calls of several processes, then only as many are sent as the budget allows', async () => {
    const reserved = await Promise.all(Array.from({ length: 50 }, () => budgetOf(1).reserve(0.1)));
    expect(reserved.filter((one) => one !== null)).toHaveLength(10);
    expect(await modelSpend(test.database, NOON)).toBeCloseTo(1);
  });
});
