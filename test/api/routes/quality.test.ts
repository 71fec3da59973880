import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proportionOf, RELEASE_FIGURES } from '../../../presentation/quality.ts';
import { ORACLE_STREAM, type OracleMeasurement } from '../../../schemas/oracle.ts';
import { Quality } from '../../../schemas/quality.ts';
import type { Report } from '../../../schemas/signal.ts';
import { storedEvent } from '../../projector/given-when-then.ts';
import {
  confirmed,
  corrected,
  detected,
  merged,
  released,
  report,
  retracted,
  revised,
  split,
  understanding,
} from '../../projector/signal-events.ts';
import { type Serving, serving } from '../serving.ts';

describe('the interval of a share', () => {
  it.each([
    // Newcombe (1998), table I, method 3.
    [81, 263, 0.308, 0.2553, 0.3662],
    [15, 148, 0.1014, 0.0624, 0.1605],
    [0, 20, 0, 0, 0.1611],
    [1, 29, 0.0345, 0.0061, 0.1718],
  ])('given %d of %d, then it is that of Wilson', (right, all, value, low, high) => {
    expect(proportionOf(right, all)).toEqual({ value, low, high });
  });

  it('given nothing, then nothing is claimed', () => expect(proportionOf(0, 0)).toBeNull());
});

/** The table of the README: a name, values and an interval. */
const README = readFileSync(new URL('../../../eval/README.md', import.meta.url), 'utf8');

describe('the shipped figures', () => {
  it.each([
    ['relevance F1', ['relevance_f1']],
    ['kind of move, macro F1', ['move_macro_f1']],
    ['primary brands F1', ['primary_f1']],
    ['cities F1', ['cities_f1']],
    ['delta', ['delta_accuracy']],
    ['people, openings, results, deals F1', ['people_f1', 'openings_f1', 'results_f1', 'deals_f1']],
    [
      'published people, openings, results, deals, precision',
      ['people', 'openings', 'results', 'deals'].map((fact) => `published_${fact}_precision`),
    ],
    ['pairs within signals, precision and recall', ['pairs_in_signals_precision', 'pairs_in_signals_recall']],
    ['B³ F1, whole events', ['b3_f1', 'whole_events']],
  ])('given %s, then they are those of the README', (row, names) => {
    const values = README.split('\n')
      .find((line) => line.startsWith(`| ${row} |`))
      ?.split('|')[2];
    const shipped = names.map((name) => RELEASE_FIGURES.figures.find(({ figure }) => figure === name)?.value);
    expect(values?.split(',').map(Number)).toEqual(shipped);
  });
});

const NOW = Date.parse('2026-11-21T04:40:00Z');
const ago = (hours: number): string => new Date(NOW - hours * 3_600_000).toISOString();
/** A report that its outlet published `hours` before it was found, two days ago. */
const late = (name: string, hours: number, changes: Partial<Report> = {}): Report =>
  report(name, { published_at: ago(48.5 + hours), first_seen_at: ago(48.5), found_at: ago(48.5), ...changes });
const at = (name: string, of: Report, hours = 48) => ({ ...detected(name, { report: of }), time: ago(hours) });
const measured = (hours: number, checked: number, missed: number): OracleMeasurement => ({
  measured_at: ago(hours),
  window_hours: 72,
  slo: 0.1,
  checked,
  missed,
  miss_rate: missed / checked,
  misses: [],
});

describe('GET /api/v1/quality', () => {
  let site: Serving;
  const get = async (): Promise<Quality> => Quality.parse((await site.server.inject('/api/v1/quality')).json());
  const fact = async (name: string) => (await get()).precision.facts.find((one) => one.fact === name);

  beforeAll(async () => {
    site = await serving({ models: ['review', 'oracle', 'oracle_days'] });
  });
  afterAll(() => site.close());

  it('given an empty record, then nothing is claimed, and it says how many are needed', async () => {
    const { precision, recall, freshness } = await get();
    expect(precision).toMatchObject({ sampled: 0, judged: 0 });
    expect(precision.facts.every((one) => one.precision === null && one.needed === 100)).toBe(true);
    expect([recall, freshness.to_page, freshness.signals]).toEqual([null, null, 0]);
  });

  it('given judged signals of the sample, then each fact counts where it was said, and its corrections are wrong', async () => {
    const days = { understanding: understanding({ deal: null }) };
    const drawn = (name: string) => ({ ...detected(name, days), time: ago(48) });
    const decided = <One extends { time: string }>(event: One): One => ({ ...event, time: ago(20) });
    await site.append(
      ...['right', 'wrong', 'noise', 'back', 'twice', 'mixed', 'unread', 'later'].map(drawn),
      decided(confirmed('right')),
      // Corrected and then confirmed: the wrong city had been published.
      decided(corrected('wrong', 1, { cities: ['Patna'], people: [] }, {})),
      decided(confirmed('wrong')),
      decided(retracted('noise')),
      decided(retracted('back')),
      decided(released('back')),
      decided({ ...merged('twice', 'right'), data: { ...merged('twice', 'right').data, by: 'olga' } }),
      decided(split('mixed', report('other'), 'right', ['Daily Trade'])),
      // What rules decide is no judgement.
      decided(revised('unread', 1, {})),
      decided(merged('later', 'right')),
    );
    const { precision } = await get();
    expect(precision).toMatchObject({ window_days: 30, sampled: 8, judged: 6 });
    expect(await fact('signal')).toMatchObject({ judged: 6, right: 5, needed: 94 });
    expect(await fact('one_event')).toMatchObject({ judged: 4, right: 2 });
    expect(await fact('cities')).toMatchObject({ judged: 2, right: 1, precision: proportionOf(1, 2) });
    expect(await fact('move')).toMatchObject({ judged: 2, right: 2 });
    expect(await fact('deal')).toMatchObject({ judged: 0, precision: null });
  });

  it('given signals of today and of two months ago, then they are not in the sample', async () => {
    await site.append(at('today', report('today'), 1), at('old', report('old'), 60 * 24), confirmed('today'));
    expect((await get()).precision.sampled).toBe(8);
  });

  it('given measurements of the Oracle, then recall is that of the latest, and each day has its last', async () => {
    for (const one of [measured(30, 10, 5), measured(29, 20, 4), measured(2, 40, 2)])
      await site.engine.add(ORACLE_STREAM, storedEvent('OracleMeasured', one));
    await expect.poll(async () => (await get()).recall?.checked).toBe(40);
    await expect
      .poll(async () => (await get()).recall?.days)
      .toEqual([
        { date: '2026-11-20', checked: 20, found: 16 },
        { date: '2026-11-21', checked: 40, found: 38 },
      ]);
    expect((await get()).recall).toMatchObject({ found: 38, recall: proportionOf(38, 40), goal: 0.9 });
    await site.engine.add(ORACLE_STREAM, storedEvent('OracleMeasured', measured(1, 9, 9)));
    await expect.poll(async () => (await get()).recall).toMatchObject({ checked: 9, recall: null });
    expect((await site.server.inject('/api/v1/sources/health')).json().oracle.checked).toBe(9);
  });

  it('given recorded times, then delays are by them alone', async () => {
    await site.append(
      ...Array.from({ length: 9 }, (_, n) => at(`soon-${n}`, late(`soon-${n}`, 0.5))),
      at('slow', late('slow', 9.5)),
      // No date; no time of day; dated after the poll; of the first poll of its source.
      at('undated', late('undated', 0, { published_at: null })),
      at('day', late('day', 0, { published_at: '2026-11-18T18:30:00Z' })),
      at('ahead', late('ahead', -1)),
      at('backlog', late('backlog', 20, { first_seen_at: ago(68.5) })),
    );
    const { freshness } = await get();
    expect(freshness).toMatchObject({ window_days: 7, signals: 10, to_page: { p50: 3_600 }, to_poll: { p50: 1_800 } });
    expect(freshness.to_page?.p99).toBeGreaterThan(30_000);
    expect(freshness.within.map(({ signals }) => signals)).toEqual([0, 0, 9, 9, 9, 9, 10]);
    expect(freshness.left_out).toBeGreaterThanOrEqual(4);
  });

  it('then the latest corrections are there, and it may be cached for five minutes', async () => {
    const answer = await site.server.inject('/api/v1/quality');
    expect(answer.headers['cache-control']).toBe('public, max-age=300');
    const tag = String(answer.headers.etag);
    const again = await site.server.inject({ url: '/api/v1/quality', headers: { 'if-none-match': tag } });
    expect(again.statusCode).toBe(304);
    const { corrections } = Quality.parse(answer.json());
    const city = corrections.latest.find(({ what }) => what === 'corrected');
    expect(city).toMatchObject({ fields: [{ field: 'cities', before: 'Pune', after: 'Patna' }, { field: 'people' }] });
    expect(JSON.stringify(corrections)).not.toContain('olga');
  });

  it('then the page has the same figures', async () => {
    const page = (await site.server.inject('/quality')).body.replace(/\s+/g, ' ');
    expect(page).toContain('20 were drawn and 6 were judged');
    expect(page).toContain('Cities</th> <td class="figure">50.0 %');
    expect(page).toContain('no claim');
    expect(page).toContain('On labelled headlines, not on the live record');
  });
});
