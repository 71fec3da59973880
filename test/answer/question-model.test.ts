import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrateAccess } from '../../access/access.ts';
import { modelBudget, modelSpend } from '../../access/quota/usage.ts';
import { confidenceOf, type Draft, type Written, writtenDraft } from '../../answer/draft.ts';
import { type Evidence, evidenceOf } from '../../answer/evidence.ts';
import { questionModel } from '../../answer/question-model.ts';
import { detailExample } from '../../api/description/examples.ts';
import { type ModelOptions, openLanguageModel } from '../../log/language-model.ts';
import { type TestDatabase, testDatabase } from '../harness/database.ts';
import { brandSlug } from '../harness/ids.ts';
import { type Answerer, closeProvider, completion, openProvider } from '../harness/model-provider.ts';

const { id } = detailExample;
const evidence: Evidence = evidenceOf({
  signal: detailExample,
  moved_at: '2026-11-20T04:00:00Z',
  rank: 1,
  salience: 0,
  about: [brandSlug('kiri-foods')],
  titles: [],
  facts: { deal: null, result: null, results: [], openings: [], people: [] },
});
const own: Draft = {
  lead: [{ markdown: 'Own words.', ids: [id], quotes: [] }],
  items: [],
  table: [],
  notes: [],
  basis: 'named',
};
const QUESTION = 'What did Kiri Foods open?';
const HEADLINE = 'Kiri Foods opens 40 stores in Pune';
/** A sentence with a quotation of the headline. */
const quoting = (text: string, of = id) => ({ text, quotes: [{ id: of, text: HEADLINE }] });

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
const HASTE = { read: 50, write: 50 };

const says =
  (...sentences: Written['sentences']): Answerer =>
  (_request, response) =>
    void response.setHeader('content-type', 'application/json').end(completion(JSON.stringify({ sentences })));
const openModel = (options: ModelOptions, timeouts?: typeof HASTE) =>
  questionModel(openLanguageModel(options), timeouts);
const draftBy = async (options: ModelOptions, timeouts?: typeof HASTE) =>
  writtenDraft(openModel(options, timeouts), QUESTION, own, [evidence]);

describe('an answer with a model', () => {
  it('given supported sentences, then they are the answer, and their cost is counted', async () => {
    let asked = '';
    const good = says(quoting('Kiri Foods opened 40 stores in Pune.'));
    const options = await provider((request, response) => {
      text(request).then((body) => {
        asked = body;
        good(request, response);
      });
    });
    const { draft, cost_usd } = await draftBy(options);

    expect(draft.lead).toEqual([
      { markdown: 'Kiri Foods opened 40 stores in Pune.', ids: [id], quotes: [{ id, text: HEADLINE }] },
    ]);
    expect(draft.dropped).toBe(0);
    expect(cost_usd).toBeCloseTo(0.0012);
    expect(asked).toContain(id);
    expect(asked).toContain('json_schema');
  });

  it('given an unsupported sentence among supported ones, then it is dropped', async () => {
    const good = quoting('Kiri Foods opened 40 stores in Pune.');
    const { draft } = await draftBy(await provider(says(quoting('Kiri Foods opened 400 stores.'), good)));

    expect(draft.lead.map(({ markdown }) => markdown)).toEqual([good.text]);
    expect(draft.dropped).toBe(0.5);
    expect(confidenceOf(draft)).toBeLessThan(confidenceOf(own));
  });

  it.each<[string, Answerer]>([
    ['only lies', says(quoting('Kiri Foods closes in Surat.'))],
    ['ids of its own', says(quoting('Kiri Foods opened 40 stores in Pune.', 'sig_ffffffffffffffff'))],
    [
      'quotations of its own',
      says({
        ...quoting('Kiri Foods opened 40 stores in Pune.'),
        quotes: [
          { id, text: 'Kiri Foods opens' },
          { id, text: 'Kiri Foods opens 40 stores in Surat' },
        ],
      }),
    ],
    ['sentences without quotations', says({ text: 'Kiri Foods opened 40 stores in Pune.', quotes: [] })],
    ['no sentence', says()],
    ['an error', (_, response) => void response.writeHead(500).end('{"error":{"message":"no"}}')],
    ['no JSON', (_, response) => void response.end('<html>')],
    [
      'text in place of sentences',
      (_, response) => void response.setHeader('content-type', 'application/json').end(completion('Sure!')),
    ],
    [
      'sentences cut off',
      (_, response) =>
        void response
          .setHeader('content-type', 'application/json')
          .end(completion('{"sentences":[{"text":"Kiri', 'length')),
    ],
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

  const NOON = new Date('2026-11-21T06:30:00Z');
  const budgetOf = (usd: number, at = NOON) => modelBudget(test.database, usd, () => at);
  const good = says(quoting('Kiri Foods opened 40 stores in Pune.'));

  it('given a daily budget that another process has spent, then no request is sent until the next day', async () => {
    let asked = 0;
    const options = await provider((request, response) => {
      asked += 1;
      good(request, response);
    });
    const other = await budgetOf(0.005).reserve(0.004);
    await other?.settle(0.004);
    expect(await openModel({ ...options, budget: budgetOf(0.005) }).write('?', [])).toBeNull();
    expect(asked).toBe(0);
    const tomorrow = new Date('2026-11-22T00:00:01Z');
    expect(await openModel({ ...options, budget: budgetOf(0.005, tomorrow) }).write('?', [])).not.toBeNull();
    expect(await modelSpend(test.database, tomorrow)).toBeCloseTo(0.0012);
  });

  it('given calls that fail or time out, then their possible cost is counted', async () => {
    const failing = await provider((_, response) => void response.writeHead(500).end('{}'));
    await openModel({ ...failing, budget: budgetOf(1) }).write('?', []);
    const afterFailure = await modelSpend(test.database, NOON);
    // All tokens of the longest answer, at 2 dollars per million, and some of the question.
    expect(afterFailure).toBeGreaterThan(0.0018);
    closeProvider();
    const slow = await provider(() => undefined);
    await openModel({ ...slow, budget: budgetOf(1) }, HASTE).write('?', []);
    expect(await modelSpend(test.database, NOON)).toBeCloseTo(2 * afterFailure);
  });

  it('given many concurrent calls of several processes, then only as many are sent as the budget allows', async () => {
    const reserved = await Promise.all(Array.from({ length: 50 }, () => budgetOf(1).reserve(0.1)));
    expect(reserved.filter((one) => one !== null)).toHaveLength(10);
    expect(await modelSpend(test.database, NOON)).toBeCloseTo(1);
  });
});
