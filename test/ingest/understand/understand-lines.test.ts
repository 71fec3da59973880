import { expect, test } from 'vitest';
import { understandLines } from '../../../ingest/understand/understand-lines.ts';
import { createUnderstander } from '../../../ingest/understand/understander.ts';
import { smallCatalogue } from './small-catalogue.ts';

async function* lines(...texts: string[]): AsyncIterable<string> {
  yield* texts;
}

const answers = async (options: { explain?: boolean }, ...texts: string[]): Promise<Record<string, unknown>[]> => {
  const found: Record<string, unknown>[] = [];
  for await (const line of understandLines(lines(...texts), createUnderstander(smallCatalogue, null), options))
    found.push(JSON.parse(line));
  return found;
};

const good = JSON.stringify({
  key: 'a',
  title: 'HUL Opens Store in Pune',
  summary: null,
  url: 'https://shopnews.example/news/x',
  outlet: 'Shop News',
  date: '2026-07-20',
});

test('given valid lines, then each result has the names as the text writes them', async () => {
  const [answer] = await answers({}, good);
  expect(answer).toMatchObject({
    key: 'a',
    move: 'stores',
    primary: ['HUL'],
    cities: ['Pune'],
    openings: [{ brand: 'HUL', city: 'Pune' }],
  });
  expect(answer).toMatchObject({ brands: [{ slug: 'hindustan-unilever', name: 'Hindustan Unilever' }] });
  expect(answer).not.toHaveProperty('reasons');
});

test('given invalid lines, then each reports its error, and the others have results', async () => {
  const found = await answers({}, 'not json', '', '{"key": "b"}', good);
  expect(found).toMatchObject([
    { line: 1, error: { field: 'line' } },
    { line: 3, error: { field: 'title' } },
    { key: 'a' },
  ]);
});

test('given --explain, then there are reasons', async () => {
  const [answer] = await answers({ explain: true }, good);
  expect(answer?.reasons).toContainEqual(expect.objectContaining({ field: 'move', rule: 'move model' }));
});
