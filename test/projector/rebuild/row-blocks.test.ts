import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Block, Blocks, KeyFilter, type Write } from '../../../projector/rebuild/row-blocks.ts';

/** Writes one text a table. */
const writing =
  (texts: readonly string[]): Write =>
  (table, bytes, start) => {
    const text = texts[table] ?? '';
    return Buffer.byteLength(text) > bytes.length - start ? null : start + bytes.write(text, start);
  };

/** All texts that the blocks give, by table. */
function takeAll(blocks: Blocks): string[] {
  const given = ['', ''];
  for (let block = blocks.take(); block; block = blocks.take()) {
    for (const [table, lines] of block.compact().entries()) given[table] += lines.toString();
    blocks.giveBack(block);
  }
  return given;
}

describe('waiting rows', () => {
  it('are returned in their last version, whatever was replaced or taken before', () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      text: fc.string({ unit: 'grapheme', maxLength: 20 }),
      what: fc.constantFrom('put', 'put', 'put', 'drop', 'take'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const blocks = new Blocks(2);
        const expected = new Map<string, string>();
        for (const { key, text, what } of steps) {
          if (what === 'take') {
            expect(takeAll(blocks)).toEqual([[...expected.values()].join(''), 'x'.repeat(expected.size)]);
            expected.clear();
            continue;
          }
          blocks.drop(key);
          expected.delete(key);
          if (what === 'drop') continue;
          const line = `${key}${text}\n`;
          blocks.add(key, writing([line, 'x']));
          expected.set(key, line);
          expect(String(blocks.main(key))).toBe(line);
        }
        expect(blocks.rows).toBe(expected.size);
        expect(takeAll(blocks)).toEqual([[...expected.values()].join(''), 'x'.repeat(expected.size)]);
      }),
      { numRuns: 12 },
    );
  });

  it('fill one block after another, and a row larger than a block gets a larger one', () => {
    const blocks = new Blocks(2);
    const rows = ['₹'.repeat(300_000), '₹'.repeat(300_000), 'x'.repeat(3_000_000), 'end'];

    for (const [number, text] of rows.entries()) blocks.add(String(number), writing([text, text]));

    expect(blocks.blocks).toBe(3);
    expect(rows.every((text, number) => String(blocks.main(String(number))) === text)).toBe(true);
    expect(takeAll(blocks)).toEqual([rows.join(''), rows.join('')]);
  });

  it('do not go into a block that is too full for one of their tables', () => {
    const block = new Block(2, 10);

    expect(block.add('a', writing(['12345', '1']))).toBe(0);
    expect(block.add('b', writing(['1', '₹₹₹₹']))).toBeNull();
    expect(block.add('c', writing(['12345', '₹₹₹']))).toBe(1);
    expect(block.keys()).toEqual(['a', 'c']);
  });
});

describe('a filter of keys', () => {
  it('contains every key that was added, however small it is', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 3_000 }), fc.nat(4_096), (keys, bytes) => {
        const filter = new KeyFilter(bytes);
        for (const key of keys) filter.add(key);
        expect(keys.every((key) => filter.has(key))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    [16, 0.002],
    [12, 0.006],
    [8, 0.04],
  ])('at %i bits for each key contains at most %f of other keys', (bits, most) => {
    const keys = 50_000;
    const filter = new KeyFilter((keys * bits) / 8);
    const key = (number: number): string => `sig_${number.toString(16).padStart(16, '0')}`;
    for (let number = 0; number < keys; number++) filter.add(key(number));

    const wrong = Array.from({ length: keys }, (_, number) => filter.has(key(keys + number)));

    expect(wrong.filter(Boolean).length / keys).toBeLessThan(most);
  });
});
