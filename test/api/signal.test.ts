import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { addSignals } from '../../bin/commands/signals.ts';
import { ErrorBody, SignalDetail } from '../../schemas/resources.ts';
import { runCommand } from '../bin/run-command.ts';
import { detected, held, idOf, merged, report, reported } from '../projector/signal-events.ts';
import { type Serving, serving } from './serving.ts';

let site: Serving;
const get = (slug: string) => site.server.inject(`/api/v1/signals/${slug}`);

beforeAll(async () => {
  site = await serving();
  await site.tell(
    detected('kept'),
    detected('double'),
    detected('twice'),
    detected('doubt'),
    reported('kept', report('second', { outlet: 'Market Gazette', published_at: '2026-11-20T03:00:00Z' })),
    reported('kept', report('undated', { outlet: 'Mint', published_at: null, first_seen_at: '2026-11-20T03:30:00Z' })),
    reported('kept', report('late', { outlet: 'Old News' }), true),
    merged('twice', 'double'),
    merged('double', 'kept'),
    held('doubt'),
  );
});
afterAll(() => site.close());

describe('GET /api/v1/signals/{slug}', () => {
  it('given a public signal, then 200 with its detail', async () => {
    const answer = await get('slug-kept');
    expect(answer.statusCode).toBe(200);
    const { signal } = z.strictObject({ signal: SignalDetail }).parse(answer.json());
    expect(signal).toMatchObject({ id: idOf('kept'), slug: 'slug-kept', key_facts: ['40 stores'], deck: null });
  });

  it('given several reports, then each that counts is there, the first first', async () => {
    const { signal } = (await get('slug-kept')).json();
    expect(signal.reports.slice(0, 3)).toEqual([
      {
        outlet: 'Market Gazette',
        url: 'https://outlet.test/second',
        headline: 'Title of second',
        published_at: '2026-11-20T03:00:00Z',
      },
      { outlet: 'Mint', url: 'https://outlet.test/undated', headline: 'Title of undated', published_at: null },
      {
        outlet: 'Daily Trade',
        url: 'https://outlet.test/kept',
        headline: 'Title of kept',
        published_at: '2026-11-20T04:00:00Z',
      },
    ]);
    const outlets = signal.reports.map(({ outlet }: { outlet: string }) => outlet);
    expect(outlets).not.toContain('Old News');
    expect(new Set(outlets).size).toBe(signal.outlets);
  });

  it('given expand=detail, then the list has the same document, and 100 of a page are allowed', async () => {
    const { signal } = (await get('slug-kept')).json();
    const page = (await site.server.inject('/api/v1/signals?expand=detail&limit=100')).json();
    expect(page.signals).toEqual([signal]);
    const refused = await site.server.inject('/api/v1/signals?limit=100');
    expect([refused.statusCode, refused.json().message]).toEqual([
      400,
      expect.stringContaining('with expand=detail to 100'),
    ]);
  });

  it('given clarity signals export, then a line for each public signal in its window, as the API has it', async () => {
    const { signal } = (await get('slug-kept')).json();
    const run = (...flags: string[]) => runCommand(addSignals, ['signals', 'export', ...flags], site.engine.url);
    const { code, output } = await run();
    expect([code, output.endsWith('\n')]).toEqual([0, true]);
    const lines = output.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ id: signal.id, reports: signal.reports }]);
    expect((await run('--since', '2026-11-22')).output).toBe('');
    expect((await run('--until', '2026-11-19')).output).toBe('');
    const wrong = await run('--since', 'soon');
    expect([wrong.code, wrong.output]).toEqual([2, expect.stringContaining('--since: "soon"')]);
  });

  it.each(['slug-double', 'slug-twice'])(
    'given the retired slug %s, then 301 to where its merges end',
    async (slug) => {
      const answer = await get(slug);
      expect(answer.statusCode).toBe(301);
      expect(answer.headers.location).toBe('http://clarity.test/api/v1/signals/slug-kept');
    },
  );

  it('given a cite id, then 301 to its slug', async () => {
    const answer = await get(idOf('kept'));
    expect([answer.statusCode, answer.headers.location]).toEqual([301, 'http://clarity.test/api/v1/signals/slug-kept']);
  });

  it.each(['slug-doubt', 'nothing-here', 'No%20Slug', '%00', "a'--", idOf('doubt'), 'x'.repeat(1_500)])(
    'given %s, which no public signal has, then 404 in the form of errors',
    async (slug) => {
      const answer = await get(slug);
      expect(answer.statusCode).toBe(404);
      expect(ErrorBody.parse(answer.json()).error).toBe('not_found');
    },
  );

  it('given a parameter, then 400 says that none is allowed', async () => {
    const answer = await get('slug-kept?full=1');
    expect(answer.statusCode).toBe(400);
    expect(answer.json().message).toContain('"full"');
  });
});
