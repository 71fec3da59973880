import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  activeSearches,
  decideSearches,
  foldSearches,
  newFeedToken,
  type SearchCommand,
} from '../../access/subscriptions.ts';
import type { AccountId } from '../../schemas/access.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { DIGESTS, MAXIMUM_SEARCHES } from '../../schemas/subscriptions.ts';
import { storedEvent } from '../projector/given-when-then.ts';

const ACCOUNT = 'acc_0000000000000001' as AccountId;
const NOW = new Date('2026-11-21T04:30:00Z');
/** What happened, and the searches that it leads to. */
interface History {
  readonly events: readonly KnownEvent[];
  readonly searches: ReturnType<typeof foldSearches>;
}
const having = (history: History, ...commands: readonly SearchCommand[]): History =>
  commands.reduce(({ events, searches }, command) => {
    const { facts } = decideSearches(ACCOUNT, searches, command, NOW);
    const all = [...events, ...facts.map(({ type, data }) => storedEvent(type, data))];
    return { events: all, searches: foldSearches(all) };
  }, history);
const NOTHING: History = { events: [], searches: foldSearches([]) };
const save = (name: string, query = 'kind=stores'): SearchCommand => ({ do: 'save', name, query });
const onlyId = ({ searches }: History): string => activeSearches(searches)[0]?.[0] ?? '';

describe('saved searches', () => {
  it('given the same name and filter again, then nothing happens; another filter is another search', () => {
    const one = having(NOTHING, save('Openings'));
    expect(decideSearches(ACCOUNT, one.searches, save('Openings'), NOW)).toEqual({ facts: [], id: onlyId(one) });
    expect(activeSearches(having(one, save('Openings', 'kind=deals')).searches)).toHaveLength(2);
  });

  it('given a search that was removed, then the same saved again has another id, and the old id is unknown', () => {
    const one = having(NOTHING, save('Openings'));
    const id = onlyId(one);
    const again = having(one, { do: 'remove', id }, save('Openings'));
    expect(activeSearches(again.searches)).toHaveLength(1);
    expect(onlyId(again)).not.toBe(id);
    for (const command of ['remove', 'mark_read', 'revoke_feed'] as const)
      expect(() => decideSearches(ACCOUNT, again.searches, { do: command, id }, NOW)).toThrow(
        'no saved search of this id',
      );
  });

  it('given a feed, then a new one replaces its token, and after revoking there is none', () => {
    const one = having(NOTHING, save('Openings'));
    const id = onlyId(one);
    const [first, second] = [newFeedToken(), newFeedToken()];
    const twice = having(
      one,
      { do: 'issue_feed', id, tokenHash: first.hash },
      { do: 'issue_feed', id, tokenHash: second.hash },
    );
    expect(twice.searches.get(id)?.token_hash).toBe(second.hash);
    expect([first.token === second.token, second.hash.includes(second.token)]).toEqual([false, false]);
    const revoked = having(twice, { do: 'revoke_feed', id });
    expect(revoked.searches.get(id)?.token_hash).toBeNull();
    expect(decideSearches(ACCOUNT, revoked.searches, { do: 'revoke_feed', id }, NOW).facts).toEqual([]);
  });

  it('given another name or filter, then only what differs is a change', () => {
    const one = having(NOTHING, save('Openings'));
    const id = onlyId(one);
    const change = (changes: { name?: string; query?: string }) =>
      decideSearches(ACCOUNT, one.searches, { do: 'change', id, ...changes }, NOW).facts;
    expect(change({ name: 'Openings' })).toEqual([]);
    expect(change({ query: 'kind=deals' })).toMatchObject([{ data: { name: 'Openings', query: 'kind=deals' } }]);
    expect(() => change({ query: 'q='.padEnd(4_001, 'x') })).toThrow('Allowed: 4000');
  });

  it('given any choices of mails, then the last one applies, the same twice is one event, and the link stays the same', () => {
    const saved = having(NOTHING, save('Openings'));
    const id = onlyId(saved);
    const choice = fc.oneof(
      fc.record({
        do: fc.constant('choose_digest' as const),
        id: fc.constant(id),
        every: fc.constantFrom(...DIGESTS),
        email: fc.constantFrom('a@clarity.test', 'b@clarity.test'),
        token: fc.stringMatching(/^[a-z]{20}$/),
      }),
      fc.record({
        do: fc.constant('end_digest' as const),
        id: fc.constant(id),
        by: fc.constantFrom('page' as const, 'one_click' as const, 'undeliverable' as const),
      }),
    );
    fc.assert(
      fc.property(fc.array(choice, { minLength: 1, maxLength: 8 }), (commands) => {
        const tokens = new Set<string>();
        let state = saved;
        for (const command of commands) {
          state = having(state, command);
          const token = state.searches.get(id)?.digest?.token;
          if (token !== undefined) tokens.add(token);
          expect(decideSearches(ACCOUNT, state.searches, command, NOW).facts).toEqual([]);
        }
        const last = commands.at(-1) as (typeof commands)[number];
        const digest = state.searches.get(id)?.digest ?? null;
        if (last.do === 'choose_digest') expect(digest).toMatchObject({ every: last.every, ended_by: null });
        else expect(digest?.ended_by ?? 'never begun').not.toBeNull();
        expect(tokens.size).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('given a reader who ended the mails, then a refusal that comes late does not say that they are paused', () => {
    const saved = having(NOTHING, save('Openings'));
    const id = onlyId(saved);
    const ended = having(
      saved,
      { do: 'choose_digest', id, every: 'daily', email: 'a@clarity.test', token: 't'.repeat(20) },
      { do: 'end_digest', id, by: 'page' },
      { do: 'end_digest', id, by: 'undeliverable' },
    );
    expect(ended.searches.get(id)?.digest?.ended_by).toBe('page');
  });

  it('given the maximum number of searches, then one more is refused', () => {
    const full = having(NOTHING, ...Array.from({ length: MAXIMUM_SEARCHES }, (_, n) => save(`Search ${n}`)));
    expect(() => decideSearches(ACCOUNT, full.searches, save('One more'), NOW)).toThrow(String(MAXIMUM_SEARCHES));
  });
});
