import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SignalPage } from '../../schemas/resources.ts';
import { detected } from '../projector/signal-events.ts';
import { type Serving, serving } from './serving.ts';

let site: Serving;
let latest = Date.parse('2026-11-20T12:00:00Z');
let count = 0;

/** A signal that is newer than all before it, often within the same second or even the same instant. */
const newSignal = (step: number) => {
  latest += step;
  count += 1;
  return detected(`n${count}`, { slug: `n${count}`, published_at: new Date(latest).toISOString() });
};

beforeAll(async () => {
  site = await serving();
  await site.tell(...Array.from({ length: 40 }, (_, index) => newSignal(index % 3 === 0 ? 0 : index * 10)));
});
afterAll(() => site.close());

async function page(limit: number, cursor: string | null) {
  const query = new URLSearchParams({ limit: String(limit), ...(cursor === null ? {} : { cursor }) });
  const answer = await site.server.inject(`/api/v1/signals?${query}`);
  expect(answer.statusCode).toBe(200);
  return SignalPage.parse(answer.json());
}

const all = async (): Promise<string[]> => (await page(50, null)).signals.map(({ id }) => id);

it('given pages of any size, when newer signals arrive between them, then each signal of the beginning comes once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 15 }),
      fc.array(fc.integer({ min: 1, max: 5_000 }), { maxLength: 1 }),
      async (limit, arrivals) => {
        const before = [];
        for (let cursor: string | null = null; ; ) {
          const { signals, next_cursor } = await page(50, cursor);
          before.push(...signals.map(({ id }) => id));
          if (next_cursor === null) break;
          cursor = next_cursor;
        }
        const walked: string[] = [];
        let cursor: string | null = null;
        do {
          const found: SignalPage = await page(limit, cursor);
          expect(found.signals.length).toBeLessThanOrEqual(limit);
          walked.push(...found.signals.map(({ id }) => id));
          cursor = found.next_cursor;
          if (walked.length <= limit) await site.tell(...arrivals.map(newSignal));
        } while (cursor !== null);
        expect(walked).toEqual(before);
        expect((await all()).slice(0, arrivals.length)).not.toContain(before[0]);
      },
    ),
    { numRuns: 5 },
  );
});
