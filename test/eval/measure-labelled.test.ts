import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OWN_ITEMS, readLabelled } from '../../eval/labelled-items.ts';
import { errorsPage, measureLabelled } from '../../eval/measure-labelled.ts';

const line = (key: string, date: string, title: string, labels: object) => ({
  key,
  date,
  outlet: key.startsWith('a') ? 'Shop News' : 'Mall Post',
  title,
  summary: null,
  url: `https://shopnews.example/${key}`,
  relevant: true,
  move: 'stores',
  primary: ['Zudio'],
  ...labels,
});
const items = [
  line('a1', '2026-06-02', 'Zudio opens store in Pune', { event: 1, cities: ['Pune'] }),
  line('b1', '2026-06-02', 'Zudio opens new store in Pune', { event: 1, cities: ['Pune'] }),
  line('a2', '2026-06-09', 'Nykaa raises Rs 230 crore', { move: 'deals', primary: ['Somebody else'], event: null }),
];
const pair = { key: 'p', a: items[0], b: items[1], same: true };

test('given a folder of labelled data, then every figure has an interval, and the page lists what is wrong', async () => {
  const own = (await readLabelled(OWN_ITEMS.pathname)).filter(({ split }) => split === 'train');
  const folder = await mkdtemp(join(tmpdir(), 'clarity-labelled-'));
  try {
    const write = (name: string, lines: readonly object[]) =>
      writeFile(join(folder, name), `${lines.map((one) => JSON.stringify(one)).join('\n')}\n`);
    await write('items.jsonl', items);
    await write('pairs.jsonl', [pair]);
    await write('events.jsonl', items);
    const parts = await measureLabelled(folder, { own: own.slice(0, 100), newsroom: [] });
    expect(parts).toHaveLength(5);
    const figures = new Map(parts.flatMap((part) => part.figures.map((one) => [one.figure, one] as const)));
    for (const name of ['relevance', 'primary', 'cities', 'people', 'openings', 'results', 'deals'])
      expect(figures.has(`${name}_f1`), name).toBe(true);
    for (const name of ['move_macro_f1', 'delta_accuracy', 'published_results_precision', 'b3_f1', 'whole_events'])
      expect(figures.has(name), name).toBe(true);
    expect(figures.get('pairs_f1')).toMatchObject({ value: 1, low: 1, high: 1 });
    expect(figures.get('stream_pairs_f1')?.value).toBe(1);
    expect(figures.get('whole_events')?.value).toBe(1);
    for (const { low, value, high } of figures.values()) expect(low <= value && value <= high).toBe(true);
    const wrong = parts[0]?.errors.find(({ key, section }) => key === 'a2' && section === 'primary');
    expect(wrong).toMatchObject({ expected: 'somebody else', got: 'nykaa' });
    expect(wrong?.why).toContain('brands: primary, headline (Nykaa)');
    const page = join(folder, 'errors.html');
    await writeFile(page, await errorsPage(parts.flatMap(({ errors }) => errors)));
    expect(await readFile(page, 'utf8')).toContain('Nykaa raises Rs 230 crore');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('given a text with markup, then the page shows it as text', async () => {
  const page = await errorsPage([
    { section: 'move', key: 'k', texts: ['<script>alert(1)</script>'], expected: 'a & b', got: '', why: '' },
  ]);
  expect(page).not.toContain('<script>');
  expect(page).toContain('&lt;script&gt;');
  expect(page).toContain('a &amp; b');
});
