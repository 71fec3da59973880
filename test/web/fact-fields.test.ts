/** Facts as fields of a form. */
import { load } from 'cheerio';
import { expect, it } from 'vitest';
import { FACTS } from '../../facts/all-facts.ts';
import { renderMarkup } from '../../presentation/markup.ts';
import { factFields, withFactLines } from '../../web/pages/operate/fact-fields.ts';

const openings = FACTS.find(({ stored }) => stored.field === 'openings');
if (!openings) throw new Error('there are no openings');

/** The form as a browser sends it: without empty fields, as `readForm` reads it. */
async function sentBy(lines: string, change: Readonly<Record<string, string>> = {}) {
  const $ = load(await renderMarkup(factFields(openings as NonNullable<typeof openings>, lines)));
  const fields = $('input, select')
    .toArray()
    .map((one): [string, string] => {
      const value = one.tagName === 'select' ? $(one).find('[selected]').attr('value') : $(one).attr('value');
      return [$(one).attr('name') ?? '', value ?? ''];
    });
  const all = Object.entries({ ...Object.fromEntries(fields), ...change });
  return Object.fromEntries(all.filter(([, value]) => value !== ''));
}

const LINES = 'opened | Kiri Foods | Pune | Hill Mall |  | 3\nplanned | Kiri Foods | Nagpur';

it('given facts, then their fields are read as the lines that they were written from', async () => {
  expect(withFactLines({ why: 'x', ...(await sentBy(LINES)) })).toEqual({ why: 'x', openings: LINES });
});

it.each([
  [
    'a part is changed',
    { 'openings.0.5': '1' },
    'opened | Kiri Foods | Pune | Hill Mall |  | 1\nplanned | Kiri Foods | Nagpur',
  ],
  [
    'a row is emptied',
    { 'openings.1.0': '', 'openings.1.1': '', 'openings.1.2': '' },
    'opened | Kiri Foods | Pune | Hill Mall |  | 3',
  ],
  ['a row is added', { 'openings.2.0': 'closed', 'openings.2.1': 'Kiri | Foods' }, `${LINES}\nclosed | Kiri / Foods`],
])('given that %s, then its line is', async (_what, change, lines) => {
  expect(withFactLines(await sentBy(LINES, change)).openings).toBe(lines);
});

it('given that every row is emptied, then no line is left', () => {
  expect(withFactLines({ 'openings.rows': '2' })).toEqual({});
});
