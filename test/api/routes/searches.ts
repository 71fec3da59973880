/** Saved searches over the API; part of `follows.test.ts`, whose server they use. */
import { beforeAll, describe, expect, it } from 'vitest';
import { changeSubscription } from '../../../access/mails.ts';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { AccountId } from '../../../schemas/access.ts';
import { ErrorBody } from '../../../schemas/resources.ts';
import {
  SearchAnswer,
  type SearchDocument,
  SearchFeed,
  SearchList,
  SearchSignals,
} from '../../../schemas/subscriptions.ts';
import { detected, idOf, understanding } from '../../projector/signal-events.ts';
import type { Serving } from '../serving.ts';

/** @param site whose callers name their account in `x-account` */
export function searchTests(site: () => Serving): void {
  const call = (account: string, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path = '', payload?: object) =>
    site().server.inject({
      method,
      url: `/api/v1/searches${path}`,
      headers: { 'x-account': account },
      ...(payload ? { payload } : {}),
    });
  const save = async (account: string, name: string, query: string): Promise<SearchDocument> =>
    SearchAnswer.parse((await call(account, 'POST', '', { name, query })).json()).search;
  const errorOf = async (answer: Awaited<ReturnType<typeof call>>): Promise<[number, string]> => [
    answer.statusCode,
    ErrorBody.parse(answer.json()).message,
  ];
  /** The clock of the server, and minutes later. */
  const at = (minutes: number): string => new Date(Date.UTC(2026, 10, 21, 4, 30 + minutes)).toISOString();

  const nameAt = (minutes: number): string => (minutes < 0 ? 'deal-before' : `deal-${minutes}`);

  describe('/api/v1/searches', () => {
    beforeAll(() =>
      site().append(
        ...[-60, 1, 2, 3].map((minutes) =>
          detected(nameAt(minutes), {
            published_at: at(minutes),
            understanding: understanding({ move: 'deals', cities: ['Surat'] }),
          }),
        ),
      ),
    );

    it('given a filter, then 201 with the address of the search; the same again, then 200; another order of it is the same', async () => {
      const created = await call('21', 'POST', '', { name: 'Surat', query: '?city=Surat&kind=deals' });
      const { search } = SearchAnswer.parse(created.json());
      expect([created.statusCode, created.headers.location]).toEqual([
        201,
        `http://clarity.test/api/v1/searches/${search.id}`,
      ]);
      expect(search).toMatchObject({
        name: 'Surat',
        query: 'kind=deals&city=Surat',
        description: 'Kind of move: Deals, City: Surat',
        unread: 3,
        feed: false,
        digest: null,
        url: `http://clarity.test/searches/${search.id}`,
      });
      const again = await call('21', 'POST', '', { name: 'Surat', query: 'kind=deals&city=Surat' });
      expect([again.statusCode, again.json()]).toEqual([200, created.json()]);
      expect(SearchList.parse((await call('21', 'GET')).json())).toEqual({ searches: [search] });
      expect((await call('21', 'GET', `/${search.id}`)).json()).toEqual({ search });
    });

    it('given a bad filter or an unknown field, then 400 names it', async () => {
      const refused = async (payload: object) => errorOf(await call('22', 'POST', '', payload));
      expect(await refused({ name: 'A', query: 'colour=red' })).toEqual([400, expect.stringContaining('colour')]);
      expect(await refused({ name: 'A', query: 'kind=wars' })).toEqual([400, expect.stringContaining('kind')]);
      expect(await refused({ name: 'A', query: '' })).toEqual([400, expect.stringContaining('No filter is set')]);
      expect(await refused({ name: ' ', query: 'kind=deals' })).toEqual([400, expect.stringContaining('name')]);
      expect(await refused({ name: 'A', query: 'kind=deals', mails: true })).toEqual([
        400,
        expect.stringContaining('mails'),
      ]);
      const { id } = await save('22', 'Deals', 'kind=deals');
      const patch = async (payload: object) => errorOf(await call('22', 'PATCH', `/${id}`, payload));
      expect(await patch({})).toEqual([400, expect.stringContaining('at least one')]);
      expect(await patch({ token: 'x' })).toEqual([400, expect.stringContaining('token')]);
      expect(await patch({ digest: 'hourly' })).toEqual([400, expect.stringContaining('at_once, daily, weekly')]);
      expect(await errorOf(await call('22', 'GET', `/${id}/signals?colour=red`))).toEqual([
        400,
        expect.stringContaining('colour'),
      ]);
    });

    it('given what it finds, then pages of it newest first, what is unread, and nothing unread once it is read', async () => {
      const { id } = await save('23', 'Surat', 'kind=deals&city=Surat');
      const page = async (query: string) =>
        SearchSignals.parse((await call('23', 'GET', `/${id}/signals?${query}`)).json());
      const first = await page('limit=3');
      expect(first.items.map((item) => item.id)).toEqual([3, 2, 1].map((minutes) => idOf(nameAt(minutes))));
      expect(first.unread).toBe(3);
      const rest = await page(`limit=3&cursor=${first.next_cursor}`);
      expect([rest.items.map((item) => item.id), rest.next_cursor]).toEqual([[idOf(nameAt(-60))], null]);
      expect((await page('unread=true')).items).toHaveLength(3);
      // The clock of the server is before all of them.
      const read = await call('23', 'POST', `/${id}/read`, { up_to: at(2) });
      expect(SearchAnswer.parse(read.json()).search).toMatchObject({ unread: 3, read_until: at(0) });
      await call('23', 'PATCH', `/${id}`, { query: 'kind=deals' });
      expect((await call('23', 'GET', `/${id}/signals?cursor=nonsense`)).statusCode).toBe(400);
    });

    it('given another name, filter or feed, then the search has it, until it is removed', async () => {
      const { id } = await save('24', 'Surat', 'city=Surat');
      const changed = await call('24', 'PATCH', `/${id}`, { name: 'Deals', query: 'kind=deals' });
      expect(changed.json().search).toMatchObject({ id, name: 'Deals', query: 'kind=deals' });

      const issuedFeed = await call('24', 'POST', `/${id}/feed`);
      expect([issuedFeed.statusCode, issuedFeed.headers['cache-control']]).toEqual([201, 'no-store']);
      const { urls } = SearchFeed.parse(issuedFeed.json());
      const feed = async () => (await site().server.inject(new URL(urls.json).pathname)).statusCode;
      expect([await feed(), (await call('24', 'GET', `/${id}`)).json().search.feed]).toEqual([200, true]);
      expect((await call('24', 'DELETE', `/${id}/feed`)).statusCode).toBe(204);
      expect(await feed()).toBe(404);

      expect((await call('24', 'DELETE', `/${id}`)).statusCode).toBe(204);
      expect((await call('24', 'GET', `/${id}`)).statusCode).toBe(404);
      expect((await call('24', 'GET')).json()).toEqual({ searches: [] });
    });

    it('given mails, then only to an address that is known to be verified, and they end with null', async () => {
      const { id } = await save('25', 'Surat', 'city=Surat');
      const digest = (every: string | null) => call('25', 'PATCH', `/${id}`, { digest: every });
      expect(await errorOf(await digest('daily'))).toEqual([400, expect.stringContaining('/searches, signed in')]);
      const { store, database } = site().engine;
      const account = AccountId.parse(`acc_${'25'.padStart(16, '0')}`);
      const subscribe = {
        do: 'subscribe',
        email: 'asha@clarity.test',
        scope: 'everything',
        token: 't'.repeat(43),
      } as const;
      const position = await changeSubscription(store, account, subscribe, new Date(at(0)));
      if (position !== null) await waitForPosition(database, 'brief_subscribers', position, 10_000);
      const chosen = { every: 'weekly', email: 'asha@clarity.test', status: 'active' };
      expect((await digest('weekly')).json().search.digest).toEqual(chosen);
      expect((await digest('daily')).json().search.digest).toEqual({ ...chosen, every: 'daily' });
      expect((await digest(null)).json().search.digest).toBeNull();
    });

    it('given a search of somebody else, or an id that is none, then 404 by every method, and it is left as it is', async () => {
      const search = await save('26', 'Surat', 'city=Surat');
      const codes = async (id: string) =>
        Promise.all([
          call('27', 'GET', `/${id}`),
          call('27', 'PATCH', `/${id}`, { name: 'Mine' }),
          call('27', 'DELETE', `/${id}`),
          call('27', 'GET', `/${id}/signals`),
          call('27', 'POST', `/${id}/read`, {}),
          call('27', 'POST', `/${id}/feed`),
          call('27', 'DELETE', `/${id}/feed`),
        ]).then((answers) => new Set(answers.map(({ statusCode }) => statusCode)));
      expect(await codes(search.id)).toEqual(new Set([404]));
      expect(await codes('nonsense')).toEqual(new Set([404]));
      expect((await call('26', 'GET', `/${search.id}`)).json()).toEqual({ search });
    });
  });
}
