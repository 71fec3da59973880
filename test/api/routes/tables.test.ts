import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TABLE_ANSWERS, TABLE_OPERATIONS } from '../../../api/routes/tables.ts';
import { FACTS } from '../../../facts/all-facts.ts';
import type { Understanding } from '../../../schemas/story.ts';
import { readWorkbook } from '../../harness/workbook.ts';
import { detected, held, idOf, opening, understanding } from '../../projector/signal-events.ts';
import { type Serving, serving } from '../serving.ts';

let site: Serving;
const get = (path: string, headers: Record<string, string> = {}) =>
  site.server.inject({ url: `/api/v1/tables/${path}`, headers });

/** A signal that was published on a day of November. */
const on = (day: string, name: string, changes: Partial<Understanding>) =>
  detected(name, { published_at: `2026-11-${day}T04:30:00Z`, understanding: understanding(changes) });

beforeAll(async () => {
  site = await serving({ models: FACTS.map(({ table }) => table.table) });
  await site.append(
    on('01', 'first', { openings: [opening({ stores: null })] }),
    on('05', 'second', { openings: [opening({ city: 'Nagpur', stores: 4, status: 'planned' })] }),
    on('09', 'third', { openings: [opening({ city: 'Nagpur', stores: 2 })] }),
    on('12', 'doubtful', { openings: [opening({ stores: 99 })] }),
    held('doubtful'),
    on('14', 'order', { move: 'rules', kind: 'Penalty', headline: 'CCPA fines Kiri Foods for misleading adverts' }),
  );
});
afterAll(() => site?.close());

describe('GET /api/v1/tables/{kind}', () => {
  it('given openings, then the rows of public signals, newest first, each with its signal, outlet and day', async () => {
    const answer = await get('openings');

    expect(answer.headers['cache-control']).toBe('private, no-cache');
    expect(answer.json()).toEqual({
      kind: 'openings',
      rows: [
        { city: 'Nagpur', stores: 2, signal: { id: idOf('third') }, reported_at: '2026-11-09T04:30:00.000Z' },
        { city: 'Nagpur', stores: 4, status: 'planned', signal: { slug: 'slug-second' } },
        { city: 'Pune', stores: null, brand: 'Kiri Foods', brand_slug: 'kiri-foods', outlet: 'Daily Trade' },
      ].map((row) =>
        expect.objectContaining({ ...row, ...(row.signal && { signal: expect.objectContaining(row.signal) }) }),
      ),
      totals: { rows: 3, opened: 3, planned: 4, closed: 0, unnumbered: 1 },
      next_cursor: null,
    });
  });

  it.each([
    ['openings?city=Nagpur&status=opened', ['third']],
    ['openings?not_city=Nagpur', ['first']],
    ['openings?since=2026-11-05&until=2026-11-06', ['second']],
    ['openings?brand=Kiri+Foods&sort=stores', ['third', 'second', 'first']],
    ['openings?brand=nobody', []],
    ['enforcement?regulator=CCPA&action=penalty', ['order']],
    ['people', []],
  ])('given %s, then the rows that match', async (path, names) => {
    const { rows } = (await get(path)).json();
    expect(rows.map(({ signal }: { signal: { slug: string } }) => signal.slug)).toEqual(
      names.map((name) => `slug-${name}`),
    );
  });

  it('given a limit, then pages by their cursor and their link, each row once', async () => {
    const first = await get('openings?limit=2&sort=-stores');
    const { rows, next_cursor } = first.json();
    const second = (await get(`openings?limit=2&sort=-stores&cursor=${next_cursor}`)).json();

    expect([...rows, ...second.rows].map(({ stores }) => stores)).toEqual([4, 2, null]);
    expect(second.next_cursor).toBeNull();
    expect(first.headers.link).toContain(`cursor=${next_cursor}>; rel="next"`);
  });

  it('given .csv or a client that asks for CSV, then the same rows as a table', async () => {
    const file = await get('openings.csv?city=Nagpur');

    expect(file.headers['content-disposition']).toBe('attachment; filename="openings.csv"');
    expect(file.body.split('\r\n').slice(0, 2)).toEqual([
      'published_at,brand,brand_slug,city,mall,locality,stores,status,opens_on,category,reported_on,headline,outlets,outlet,source_url,id,url',
      expect.stringMatching(/^2026-11-09T04:30:00.000Z,Kiri Foods,kiri-foods,Nagpur,,,2,opened,,/),
    ]);
    expect((await get('openings?city=Nagpur', { accept: 'text/csv' })).body).toBe(file.body);
  });

  it('given .xlsx, then the rows of the file as a workbook', async () => {
    const file = await get('openings.csv?city=Nagpur');
    const { headers, rawPayload } = await get('openings.xlsx?city=Nagpur');

    expect(headers['content-disposition']).toBe('attachment; filename="openings.xlsx"');
    const [sheet] = readWorkbook(rawPayload);
    const [columns, ...lines] = file.body.trimEnd().split('\r\n');
    expect(sheet?.rows[0]).toEqual(columns?.split(','));
    expect(sheet?.rows.slice(1).map(([published]) => published)).toEqual(lines.map((line) => line.split(',')[0]));
    expect(lines.length).toBeGreaterThan(0);
  });

  it.each([
    ['openings?category=shoes', 'category'],
    ['openings?status=open', 'status'],
    ['openings?sort=metric', 'sort'],
    ['openings?limit=101', 'limit'],
    ['openings?brand=', 'brand'],
    ['openings?status=', 'status'],
    ['openings?not_city=', 'not_city'],
    ['openings?cursor=abc', 'cursor'],
    ['people?status=opened', 'status'],
  ])('given %s, then it is refused and named', async (path, field) => {
    const { statusCode, body } = await get(path);
    expect([statusCode, body.includes(field)]).toEqual([400, true]);
  });

  it('given any kind of fact, then it has a table, a file and an answer that fits its schema', async () => {
    expect(TABLE_OPERATIONS).toHaveLength(3 * FACTS.length);
    for (const { kind } of FACTS) {
      const schema = TABLE_ANSWERS[`${kind.charAt(0).toUpperCase()}${kind.slice(1)}Rows`];
      expect(schema?.parse((await get(kind)).json())).toMatchObject({ kind });
    }
  });
});
