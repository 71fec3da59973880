import { describe, expect, it } from 'vitest';
import { streamLines } from '../../ingest/stream-items.ts';
import { createUnderstander } from '../../ingest/understand/understander.ts';
import { smallCatalogue } from './understand/small-catalogue.ts';

interface Given {
  readonly key: string;
  readonly title: string;
  readonly outlet?: string;
  readonly date?: string;
}

const run = async (options: { all?: boolean; explain?: boolean }, ...given: (Given | string)[]) => {
  async function* lines(): AsyncIterable<string> {
    for (const one of given)
      yield typeof one === 'string' ? one : JSON.stringify({ url: `https://shopnews.example/${one.key}`, ...one });
  }
  const answers: Record<string, unknown>[] = [];
  for await (const line of streamLines(lines(), createUnderstander(smallCatalogue, null), options))
    answers.push(JSON.parse(line));
  return answers;
};

const opening = { key: 'a', outlet: 'Shop News', date: '2026-07-20', title: 'Westside opens store in Pune' };
const again = { key: 'b', outlet: 'Mall Post', date: '2026-07-21', title: 'Westside opens new store in Pune' };
const other = {
  key: 'c',
  outlet: 'Mall Post',
  date: '2026-07-21',
  title: 'Nykaa raises Rs 230 crore from Kestrel Capital',
};
const noise = {
  key: 'd',
  outlet: 'Mall Post',
  date: '2026-07-22',
  title: 'Stocks to buy today: five picks by analysts',
};

describe('a stream of items', () => {
  it('given two reports of one event and one of another, then the two have one signal, and noise has none', async () => {
    const [first, second, third, last] = await run({}, opening, again, other, noise);
    expect(first).toMatchObject({ key: 'a', relevant: true, move: 'stores', matched: { as: 'new', follows: null } });
    expect(first?.signal).toMatch(/^sig_[0-9a-f]{16}$/);
    expect(second).toMatchObject({
      key: 'b',
      signal: first?.signal,
      matched: { as: 'same', score: expect.any(Number) },
    });
    expect(third?.signal).not.toBe(first?.signal);
    expect(third?.signal).toMatch(/^sig_/);
    expect(last).toMatchObject({ key: 'd', relevant: false, signal: null, matched: null });
  });

  it('given the same event more than a week later, then it resurfaced', async () => {
    const [first, second] = await run({}, opening, { ...again, date: '2026-07-30' });
    expect(second).toMatchObject({ signal: first?.signal, matched: { as: 'resurfaced' } });
  });

  it('given --all, then noise is matched too', async () => {
    const [one, two] = await run({ all: true }, noise, { ...noise, key: 'e', outlet: 'Shop News' });
    expect(one).toMatchObject({ relevant: false, matched: { as: 'new' } });
    expect(two).toMatchObject({ relevant: false, signal: one?.signal, matched: { as: 'same' } });
  });

  it('given invalid lines, then each reports its error in its place, and the others are matched', async () => {
    const { date: _, ...undated } = other;
    const answers = await run({}, 'not json', opening, '', undated, again);
    expect(answers).toMatchObject([
      { line: 1, error: { field: 'line' } },
      { key: 'a' },
      { line: 4, error: { field: 'date' } },
      { key: 'b', signal: answers[1]?.signal },
    ]);
  });
});
