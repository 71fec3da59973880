import { describe, expect, it } from 'vitest';
import { prepareCatalogue } from '../../../facts/text/catalogue.ts';
import { matchLines } from '../../../ingest/match/compare-pairs.ts';
import { createUnderstander } from '../../../ingest/understand/understander.ts';

const catalogue = prepareCatalogue({
  version: 'test',
  brands: [],
  themes: [],
  groups: [],
  cities: [],
  malls: [],
  outlets: [],
  investors: [],
  other_years: [],
  indian_years: [],
});
async function* lines(...given: string[]) {
  yield* given;
}
const answers = async (given: string[], options = {}) => {
  const found: Record<string, unknown>[] = [];
  for await (const line of matchLines(lines(...given), createUnderstander(catalogue, null), options))
    found.push(JSON.parse(line));
  return found;
};
const a = {
  title: 'Anaya Silks raises ₹42 crore from Kestrel Capital',
  date: '2026-07-06',
  url: 'https://a.example/1',
};
const b = { title: '{Funding Alert} Anaya Silks Bags Rs 42 Cr Led by Kestrel', date: '2026-07-07', summary: null };
const c = { title: 'Monsoon lifts umbrella sales in Kerala', date: '2026-07-07' };

describe('clarity match --pairs', () => {
  it('says of each pair whether both report one event, and why', async () => {
    const [same, other] = await answers([JSON.stringify({ key: 'p1', a, b }), '', JSON.stringify({ key: 2, a, b: c })]);
    expect(same).toMatchObject({ key: 'p1', same: true });
    expect(same?.reasons).toContain('a figure agrees');
    expect(other).toMatchObject({ key: 2, same: false });
    expect(other).not.toHaveProperty('numbers');
  });

  it('adds the numbers when asked to explain', async () => {
    const [explained] = await answers([JSON.stringify({ key: 'p1', a, b })], { explain: true });
    expect(explained?.numbers).toMatchObject({ money_agrees: 1 });
  });

  it('names line and field of a bad line and goes on', async () => {
    const bad = [
      '{',
      '[]',
      JSON.stringify({ key: 'x', a, b: { title: 'No date' } }),
      JSON.stringify({ key: 'x', a, b: { ...b, date: 'soon' } }),
    ];
    const found = await answers([...bad, JSON.stringify({ key: 'p1', a, b })]);
    expect(found.slice(0, 4)).toMatchObject([
      { line: 1, error: { message: 'is not JSON' } },
      { line: 2, error: { field: '' } },
      { line: 3, error: { field: 'b.date' } },
      { line: 4, error: { field: 'b.date', message: 'must be a date such as 2026-07-08' } },
    ]);
    expect(found[4]).toMatchObject({ key: 'p1', same: true });
  });
});
