import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { TaggedText } from '../../../facts/tagged-text.ts';
import { createEncoderTokeniser, MAXIMUM_TOKENS } from '../../../ingest/understand/encoder/encoder-tokens.ts';
import {
  EncoderCrashed,
  EncoderUnavailable,
  openItemEncoder,
  startEncoder,
} from '../../../ingest/understand/encoder/item-encoder.ts';
import { MOVES } from '../../../schemas/scalar.ts';
import { bytesOf } from '../../../signal/meaning.ts';

interface Golden {
  readonly title: string;
  readonly summary: string | null;
  readonly relevance: number;
  readonly move: readonly number[];
  /** By token: none, primary, secondary. */
  readonly roles: readonly (readonly [number, number, number])[];
  readonly vector: readonly number[];
  readonly meaning: readonly number[];
  /** By token, in the order of the weights. */
  readonly tags: readonly (readonly number[])[];
  readonly classes: readonly number[];
}

/** In the order of the weights. */
const ORDER = ['stores', 'deals', 'people', 'results', 'launches', 'strategy', 'rules', 'other'] as const;
/** Runtimes and processors round int8 differently; weights or tokens that do not belong together differ far more. */
const ROUNDING = 0.05;

const folder = new URL('../../../ingest/understand/encoder/', import.meta.url);
const golden = (await readFile(new URL('golden.jsonl', folder), 'utf8'))
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Golden);
const vocabulary = await readFile(new URL('vocabulary.txt', folder), 'utf8');
const encode = await openItemEncoder();

const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));
const softmax = (logits: readonly number[]): number[] => {
  const powers = logits.map(Math.exp);
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
};
const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>): number =>
    Array.from(x).reduce((sum, value, index) => sum + value * (y[index] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
};

describe('the encoder with the shipped weights', () => {
  it.each(golden)('says of "$title" what it said after training', async (wanted) => {
    const said = await encode(wanted);
    expect(Math.abs(sigmoid(said.relevance) - sigmoid(wanted.relevance))).toBeLessThan(ROUNDING);
    const [saidMoves, wantedMoves] = [softmax(ORDER.map((move) => said.move[move])), softmax(wanted.move)];
    for (const index of ORDER.keys())
      expect(Math.abs((saidMoves[index] ?? 0) - (wantedMoves[index] ?? 0))).toBeLessThan(ROUNDING);
    expect(cosine(new Int8Array(Buffer.from(said.vector.values, 'base64')), wanted.vector)).toBeGreaterThan(0.99);
    expect(cosine(bytesOf(said.meaning?.values ?? ''), wanted.meaning)).toBeGreaterThan(0.99);
    const { ids: _, ...tokens } = createEncoderTokeniser(vocabulary)(wanted);
    for (const { part, start, tags } of said.tags.words) {
      const token = tokens.words.find((word) => word.part === part && word.start === start)?.token ?? 0;
      for (const [index, tag] of tags.entries())
        expect(Math.abs(tag - sigmoid(wanted.tags[token]?.[index] ?? 0))).toBeLessThan(2 * ROUNDING);
    }
  });

  it('reads facts: the brand and the city of an opening, the target and the amount of a deal, who joined', async () => {
    const [opening, funding, appointment] = (await Promise.all(golden.map(encode))).map(
      ({ tags }) => new TaggedText(tags),
    );
    expect(opening?.reports('stores', 'open')).toBeGreaterThan(0.5);
    expect(opening?.says('store_brand', 'Zudio')).toBeGreaterThan(0.5);
    expect(opening?.says('store_city', 'Jaipur')).toBeGreaterThan(0.5);
    expect(opening?.says('store_city', 'Zudio')).toBeLessThan(0.5);
    expect(funding?.reports('deal', 'funding')).toBeGreaterThan(0.5);
    expect(funding?.says('target', 'Lemonfresh')).toBeGreaterThan(0.5);
    expect(funding?.says('target', 'Peak Ventures')).toBeLessThan(0.5);
    expect(funding?.says('amount', '₹48.4 Cr')).toBeGreaterThan(0.5);
    expect(appointment?.says('joined', 'Asha Menon')).toBeGreaterThan(0.5);
    expect(appointment?.says('joined', 'Nobody')).toBeNull();
    expect(appointment?.lacks('amount')).toBeGreaterThan(0.9);
  });

  it('separates moves from a column of share tips, and one kind from another', async () => {
    const [opening, funding, appointment, results, column] = await Promise.all(golden.map(encode));
    for (const move of [opening, funding, appointment, results]) expect(move?.relevance).toBeGreaterThan(0);
    expect(column?.relevance).toBeLessThan(0);
    const kindOf = (item: typeof opening) => MOVES.toSorted((a, b) => (item?.move[b] ?? 0) - (item?.move[a] ?? 0))[0];
    expect([opening, funding, appointment, results].map(kindOf)).toEqual(['stores', 'deals', 'people', 'results']);
  });

  it('labels the brand of a headline as primary', async () => {
    const [opening] = await Promise.all(golden.map(encode));
    const [first, second] = opening?.roles ?? [];
    expect(opening?.title.slice(first?.start, first?.end)).toBe('Zudio');
    expect(first?.primary).toBeGreaterThan(0.5);
    expect(second?.primary).toBeLessThan(0.5);
  });

  it('puts a question closer to the headline that answers it in other words than to others', async () => {
    const meaningOf = async (title: string): Promise<Int8Array> =>
      bytesOf((await encode({ title, summary: null })).meaning?.values ?? '');
    const asked = await meaningOf('brewer heading for a stock market debut');
    const listing = cosine(
      asked,
      await meaningOf('Kestrel Brewery to file draft papers for its initial public offering'),
    );
    for (const other of [
      'Kestrel Brewery opens a taproom in Pune',
      'Kestrel Brewery names Asha Menon as finance chief',
    ])
      expect(listing).toBeGreaterThan(cosine(asked, await meaningOf(other)));
  });

  it('puts reports of one event closer together than reports of two', async () => {
    const vectorOf = async (title: string, summary: string | null = null): Promise<Int8Array> =>
      new Int8Array(Buffer.from((await encode({ title, summary })).vector.values, 'base64'));
    const opening = await vectorOf('Zudio opens its first store in Jaipur');
    const same = await vectorOf(
      'Trent’s Zudio enters Jaipur',
      'The value fashion chain has opened a store in Malviya Nagar.',
    );
    const other = await vectorOf('Westside opens its first store in Kochi');
    expect(cosine(opening, same)).toBeGreaterThan(cosine(opening, other));
  });
});

describe('the process of the encoder', () => {
  it('given processes that end, then another one encodes what waits, except the item at which two ended', async () => {
    const pids: number[] = [];
    const { encode: encodeThere, close } = await startEncoder({
      onReady: (pid = 0) => {
        pids.push(pid);
        // Before it is sent what waits.
        if (pids.length === 2) process.kill(pid, 'SIGKILL');
      },
    });
    const encodings = Promise.allSettled(golden.map(encodeThere));
    process.kill(pids[0] ?? 0, 'SIGKILL');
    const [first, ...others] = await encodings;
    expect(first).toMatchObject({ status: 'rejected', reason: expect.any(EncoderCrashed) });
    const here = await Promise.all(golden.map(encode));
    expect(others).toEqual(here.slice(1).map((value) => ({ status: 'fulfilled', value })));
    expect(new Set(pids).size).toBe(3);
    await close();
    await expect(encodeThere({ title: 'Zudio', summary: null })).rejects.toThrow('closed');
  });

  it('given no weights, then it is unavailable', async () => {
    await expect(startEncoder({ weights: '/nowhere/encoder.onnx' })).rejects.toBeInstanceOf(EncoderUnavailable);
  });
});

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
