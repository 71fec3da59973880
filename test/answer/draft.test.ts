import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeMarkdown, Verifier } from '../../answer/draft.ts';
import type { Evidence } from '../../answer/evidence.ts';
import { signalExample } from '../../api/description/examples.ts';
import { exampleEvidence } from './evidence.ts';

const evidence = (headline: string): Evidence => exampleEvidence({ signal: { ...signalExample, headline } });
const { id } = signalExample;

describe('the verifier', () => {
  it('given any part of a stored text, then it is found byte for byte, with its offsets', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat(), fc.nat(), (headline, one, other) => {
        const [start, end] = [Math.min(one, other) % headline.length, (Math.max(one, other) % headline.length) + 1];
        const text = headline.slice(Math.min(start, end - 1), Math.max(start + 1, end));
        fc.pre(text.isWellFormed() && headline.isWellFormed());
        const found = evidence(headline);
        const place = new Verifier([found]).quote({ id, text });
        return place !== null && found.stored.slice(place.start, place.end) === text;
      }),
    );
  });

  it.each(['Kiri  Foods opens 40 stores', 'Kiri Foods opens 41 stores', 'kiri foods', ''])(
    'given %j, which the text does not contain exactly, then it is dropped',
    (text) => {
      const verifier = new Verifier([evidence('Kiri Foods opens 40 stores')]);

      expect(verifier.quote({ id, text })).toBeNull();
      expect(verifier.holds({ markdown: text, ids: [id], quotes: [{ id, text }] })).toBe(false);
    },
  );

  it('given a signal that was not retrieved, then the sentence is dropped', () => {
    expect(new Verifier([]).holds({ markdown: 'x', ids: [id], quotes: [] })).toBe(false);
  });
});

it('given Markdown syntax, then it is escaped', () => {
  expect(escapeMarkdown('[a](javascript:x) <b> *c* `d` |')).toBe(String.raw`\[a\](javascript:x) \<b\> \*c\* \`d\` \|`);
});
