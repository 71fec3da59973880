import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createEncoderTokeniser, MAXIMUM_TOKENS } from '../../../ingest/understand/encoder/encoder-tokens.ts';

const vocabulary = await readFile(
  new URL('../../../ingest/understand/encoder/vocabulary.txt', import.meta.url),
  'utf8',
);
const pieces = vocabulary.split('\n');
const tokenise = createEncoderTokeniser(vocabulary);
const spell = (item: { title: string; summary: string | null }): string =>
  tokenise(item)
    .ids.map((id) => pieces[id])
    .join(' ');

describe('the input of the encoder', () => {
  it('has the title and the summary, distinguished by their types', () => {
    const input = tokenise({ title: 'Store opens', summary: 'In Pune' });
    expect(input.ids).toEqual([101, 3573, 7480, 102, 1999, 16920, 102]);
    expect(input.types).toEqual([0, 0, 0, 0, 1, 1, 1]);
  });

  it('has no second part when there is no summary', () => {
    expect(spell({ title: 'Store opens', summary: null })).toBe('[CLS] store opens [SEP]');
    expect(spell({ title: 'Store opens', summary: ' &nbsp; ' })).toBe('[CLS] store opens [SEP]');
  });

  it('splits words into the longest known pieces, without case and accents', () => {
    expect(spell({ title: 'Nestlé’s Zudio', summary: null })).toBe('[CLS] nest ##le ’ s zu ##dio [SEP]');
  });

  it('separates a currency from its amount, and decodes entities', () => {
    expect(spell({ title: 'H&amp;amp;M: &#8377;48', summary: null })).toBe('[CLS] h & m : ₹ 48 [SEP]');
  });

  it('gives each word its place in the text and its first token', () => {
    const { title, summary, words, ids } = tokenise({ title: 'Zudio  in Pune', summary: 'By Trent' });
    expect(
      words.map(({ part, start, end, token }) => [(part === 'title' ? title : summary).slice(start, end), token]),
    ).toEqual([
      ['Zudio', 1],
      ['in', 3],
      ['Pune', 4],
      ['By', 6],
      ['Trent', 7],
    ]);
    expect(pieces[ids[7] ?? 0]).toBe('trent');
  });

  it('cuts long texts, and names no word that it cut', () => {
    const { ids, types, words } = tokenise({ title: 'Zudio '.repeat(60), summary: 'Trent' });
    expect(ids).toHaveLength(MAXIMUM_TOKENS);
    expect(types).toHaveLength(MAXIMUM_TOKENS);
    expect(words.every(({ token }) => token < MAXIMUM_TOKENS)).toBe(true);
  });

  it('takes a word of an unknown script for unknown', () => {
    expect(spell({ title: `Zudio \u{13000} ${'x'.repeat(101)}`, summary: null })).toBe(
      '[CLS] zu ##dio [UNK] [UNK] [SEP]',
    );
  });
});
