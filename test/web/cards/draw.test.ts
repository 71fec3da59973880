import { load } from 'cheerio';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, drawable, drawCard, faceFiles, linesOf, typefaceOf } from '../../../web/cards/draw.ts';
import { textsOf } from '../../harness/elements.ts';

const face = typefaceOf(faceFiles().text);
const drawn = (heading: string, demo = false) => {
  const $ = load(drawCard({ kicker: ['Stores'], heading, foot: ['Daily Trade'] }, demo), { xml: true });
  return textsOf($, 'text');
};
const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 300 }), fc.lorem());

describe('glyphs of the font', () => {
  it('given letters of Indian headlines in Latin script, then the font has them; it lacks other scripts', () => {
    expect([...'Aé₹“”’–—…·&'].filter((letter) => !face.has(letter))).toEqual([]);
    expect(['क', '北', '😀', '\u202e'].filter((letter) => face.has(letter))).toEqual([]);
  });

  it('given letters of different widths, then a line is as wide as the sum of its letters', () => {
    expect(face.width('W')).toBeGreaterThan(face.width('i') * 2);
    expect(face.width('Wii')).toBeCloseTo(face.width('W') + 2 * face.width('i'));
    expect(() => typefaceOf(new Uint8Array(64))).toThrow();
  });
});

describe('lines', () => {
  it('given any text, then no line exceeds the width, their number stays within the maximum, and words keep their order', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 3, max: 40 }), fc.integer({ min: 1, max: 4 }), (text, width, most) => {
        const shown = drawable(text, face);
        const lines = linesOf(shown, { width, maximum: most, face });
        expect(lines.length).toBeLessThanOrEqual(most);
        for (const one of lines) expect(face.width(one)).toBeLessThanOrEqual(width);
        if (lines.every((one) => !one.includes('…'))) expect(lines.join(' ')).toBe(shown);
      }),
    );
  });

  it('given text that does not fit, then it is cut at a word and ends with an ellipsis', () => {
    expect(cut('Kiri Foods opens stores', 9, face)).toBe('Kiri Foods opens…');
    expect(linesOf('one two three four', { width: 4, maximum: 2, face })).toEqual(['one two', 'three…']);
  });
});

describe('a card', () => {
  it('given hostile text, then the drawing shows it as text', () => {
    fc.assert(
      fc.property(anyText, (heading) => {
        const card = { kicker: [heading], day: heading, heading, figure: heading, note: heading, foot: [heading] };
        const $ = load(drawCard(card, false), { xml: true });
        const names = new Set(
          $('*')
            .toArray()
            .map((one) => $(one).prop('tagName')?.toLowerCase() ?? ''),
        );
        expect([...names].filter((name) => !['svg', 'rect', 'path', 'text'].includes(name))).toEqual([]);
      }),
    );
    expect(drawn('</text><image href="x"/>')).toContain('</text><image href="x"/>');
  });

  it('given a heading in a script that the font lacks, then the card shows only its type', () => {
    expect(drawn('किरी फूड्स ने पुणे में 40 दुकानें खोलीं')).toContain('An entry of the record');
    expect(drawn('Kiri \u202eFoods\u200b opens')).toContain('Kiri Foods opens');
  });

  it('given the demo, then the card says that its reports are invented', () => {
    expect(drawn('Kiri', true).join()).toContain('Demonstration');
    expect(drawn('Kiri').join()).not.toContain('Demonstration');
  });
});
