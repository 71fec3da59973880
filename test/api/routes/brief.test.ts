import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountId } from '../../../schemas/access.ts';
import { Brief, followsStream } from '../../../schemas/subscriptions.ts';
import { storedEvent } from '../../projector/given-when-then.ts';
import { brandRef, detected, held, idOf, report, reported, understanding } from '../../projector/signal-events.ts';
import { type Serving, serving } from '../serving.ts';

let site: Serving;
const get = async (query = ''): Promise<Brief> =>
  Brief.parse((await site.server.inject(`/api/v1/brief${query}`)).json());
const headlines = async (query = ''): Promise<string[]> => (await get(query)).items.map(({ headline }) => headline);
const story = (name: string, slug: string, published_at: string, changes = {}) =>
  detected(name, {
    published_at,
    understanding: understanding({
      headline: name,
      brands: [brandRef(slug, `Name of ${slug}`)],
      ...changes,
    }),
  });

beforeAll(async () => {
  site = await serving({ models: ['follows'] });
  const follow = (account: AccountId, number: number) =>
    storedEvent('FollowAdded', {
      account,
      follow_id: `fol_000000000000000${number}`,
      type: 'brand',
      slug: 'followed',
      name: 'Followed',
      signal_id: null,
    });
  for (const [index, account] of (['acc_1', 'acc_2'] as AccountId[]).entries())
    await site.engine.add(followsStream(account), follow(account, index));
  await site.append(
    story('newest', 'plain', '2026-11-21T04:00:00Z'),
    story('followed', 'followed', '2026-11-21T01:00:00Z'),
    story('older', 'plain', '2026-11-21T00:00:00Z', { theme: { slug: 'funding', name: 'Funding' } }),
    story('reported-by-two', 'plain', '2026-11-20T05:00:00Z'),
    reported('reported-by-two', report('second', { outlet: 'Market Gazette' })),
    detected('next-step', {
      published_at: '2026-11-21T03:00:00Z',
      follows: idOf('reported-by-two'),
      understanding: understanding({ headline: 'next-step', brands: [] }),
    }),
    story('yesterday', 'plain', '2026-11-20T04:29:59Z'),
    story('doubt', 'plain', '2026-11-21T02:00:00Z'),
    held('doubt'),
    story('weighty', 'weighty', '2026-11-20T23:00:00Z'),
    storedEvent('SignalAnalysed', {
      signal_id: idOf('weighty'),
      why_it_matters: null,
      what_to_watch: null,
      by: 'rules',
      standing: { listed: true, first: false, sum_crore: 1_000, revenue_share: null, stores: null },
    }),
  );
});
afterAll(() => site.close());

describe('GET /api/v1/brief', () => {
  it('given the day, then it is ranked by outlets, salience, followers and time, with one item an event', async () => {
    const brief = await get('?hours=24');
    expect(brief).toMatchObject({
      date: '2026-11-21',
      label: 'Morning brief, Saturday 21 November 2026',
      window_hours: 24,
      until: expect.stringMatching(/^2026-11-2/),
      filters: { brands: [], themes: [] },
    });
    expect(brief.items.map(({ headline }) => headline)).toEqual([
      'reported-by-two',
      'weighty',
      'followed',
      'newest',
      'older',
    ]);
    expect(brief.items[0]).toMatchObject({ brand: 'Name of plain', other_outlets: 1, why_it_matters: null });
  });

  it('given no hours, then it is the brief of the morning, as mailed', async () => {
    expect(await headlines()).toEqual(['reported-by-two', 'weighty', 'followed', 'older', 'yesterday']);
  });

  it.each([
    ['?hours=72', ['reported-by-two', 'weighty', 'followed', 'newest', 'older', 'yesterday']],
    ['?hours=1', ['newest']],
    ['?brands=followed', ['followed']],
    ['?brands=followed,plain&themes=funding', ['older']],
  ])('given %s, then %j', async (query, expected) => {
    expect(await headlines(query)).toEqual(expected);
  });

  it.each(['?hours=0', '?hours=73', '?brands=', '?themes=A', '?day=1'])('given %s, then 400', async (query) => {
    expect((await site.server.inject(`/api/v1/brief${query}`)).statusCode).toBe(400);
  });

  it('given more than twelve moves, then twelve', async () => {
    const many = Array.from({ length: 15 }, (_, index) => story(`many-${index}`, 'many', '2026-11-21T04:10:00Z'));
    await site.append(...many);
    expect((await get('?brands=many')).items).toHaveLength(12);
  });

  it('given brands that have nothing before the morning, then it is of the hours until now', async () => {
    await site.append(story('young', 'young', '2026-11-21T04:10:00Z'));
    expect(await headlines('?brands=young')).toEqual(['young']);
  });
});
