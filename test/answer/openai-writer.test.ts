import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrateAccess } from '../../access/access-tables.ts';
import { modelBudget, modelSpend } from '../../access/quota/usage.ts';
import { confidenceOf, type Draft } from '../../answer/draft.ts';
import { type Evidence, evidenceOf } from '../../answer/evidence.ts';
import { openWriter, type WriterOptions } from '../../answer/openai-writer.ts';
import { type Written, writtenDraft } from '../../answer/written-draft.ts';
import { detailExample } from '../../api/description/examples.ts';
import { type TestDatabase, testDatabase } from '../harness/database.ts';
import { brandSlug } from '../harness/ids.ts';

const { id } = detailExample;
const evidence: Evidence = evidenceOf({
  signal: detailExample,
  ...{ moved_at: '2026-11-20T04:00:00Z', rank: 1, salience: 0, about: [brandSlug('kiri-foods')], titles: [] },
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
let server: Server | undefined;
afterEach(() => server?.close());
type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

/** A provider on loopback, and the options to use it. */
async function provider(answer: Answerer): Promise<WriterOptions & { readonly failures: unknown[] }> {
  server = createServer(answer);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const failures: unknown[] = [];
  return {
    ...{ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'secret', model: 'm', failures },
    prices: { input: 1, output: 2 },
    budget: modelBudget(test.database, 1, () => new Date()),
    timeout: 2_000,
    report: (error) => void failures.push(error),
  };
}

const completion = (content: string, reason = 'stop'): string =>
  JSON.stringify({
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: reason }],
    usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
  });
const says =
  (...sentences: Written['sentences']): Answerer =>
  (_request, response) =>
    void response.setHeader('content-type', 'application/json').end(completion(JSON.stringify({ sentences })));
const draftBy = async (options: WriterOptions) => writtenDraft(openWriter(options), QUESTION, own, [evidence]);

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
    const { draft, cost_usd } = await draftBy({ ...options, timeout: 50 });

    expect([draft, cost_usd, options.failures.length]).toEqual([own, 0, 1]);
    server?.closeAllConnections();
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
    expect(await openWriter({ ...options, budget: budgetOf(0.005) }).write('?', [])).toBeNull();
    expect(asked).toBe(0);
    const tomorrow = new Date('2026-11-22T00:00:01Z');
    expect(await openWriter({ ...options, budget: budgetOf(0.005, tomorrow) }).write('?', [])).not.toBeNull();
    expect(await modelSpend(test.database, tomorrow)).toBeCloseTo(0.0012);
  });

  it('given calls that fail or time out, then their possible cost is counted', async () => {
    const failing = await provider((_, response) => void response.writeHead(500).end('{}'));
    await openWriter({ ...failing, budget: budgetOf(1) }).write('?', []);
    const afterFailure = await modelSpend(test.database, NOON);
    // All tokens of the longest answer, at 2 dollars per million, and some of the question.
    expect(afterFailure).toBeGreaterThan(0.0018);
    server?.close();
    const slow = await provider(() => undefined);
    await openWriter({ ...slow, budget: budgetOf(1), timeout: 50 }).write('?', []);
    expect(await modelSpend(test.database, NOON)).toBeCloseTo(2 * afterFailure);
    server?.closeAllConnections();
  });

  it('given many concurrent calls of several processes, then only as many are sent as the budget allows', async () => {
    const reserved = await Promise.all(Array.from({ length: 50 }, () => budgetOf(1).reserve(0.1)));
    expect(reserved.filter((one) => one !== null)).toHaveLength(10);
    expect(await modelSpend(test.database, NOON)).toBeCloseTo(1);
  });
});
