import { describe, expect, it } from 'vitest';
import {
  decideSearches,
  evolveSearches,
  NO_SEARCHES,
  newFeedToken,
  type SearchCommand,
  type Searches,
} from '../../access/saved-searches.ts';
import type { AccountId } from '../../schemas/access.ts';
import { MAXIMUM_SEARCHES } from '../../schemas/saved-search.ts';
import { storedEvent } from '../projector/given-when-then.ts';

const ACCOUNT = 'acc_0000000000000001' as AccountId;
const NOW = new Date('2026-11-21T04:30:00Z');
const having = (searches: Searches, ...commands: readonly SearchCommand[]): Searches =>
  commands.reduce(
    (known, command) =>
      decideSearches(ACCOUNT, known, command, NOW)
        .map(({ type, data }) => storedEvent(type, data))
        .reduce(evolveSearches, known),
    searches,
  );
const save = (name: string, query = 'kind=stores'): SearchCommand => ({ do: 'save', name, query });
const onlyId = ({ active }: Searches): string => [...active.keys()][0] ?? '';

describe('saved searches', () => {
  it('given the same name and filter again, then nothing happens; another filter is another search', () => {
    const one = having(NO_SEARCHES, save('Openings'));
    expect(decideSearches(ACCOUNT, one, save('Openings'), NOW)).toEqual([]);
    expect(having(one, save('Openings', 'kind=deals')).active.size).toBe(2);
  });

  it('given a search that was removed, then the same saved again has another id, and the old id is unknown', () => {
    const one = having(NO_SEARCHES, save('Openings'));
    const id = onlyId(one);
    const again = having(one, { do: 'remove', id }, save('Openings'));
    expect(again.active.size).toBe(1);
    expect(onlyId(again)).not.toBe(id);
    for (const command of ['remove', 'mark_read', 'revoke_feed'] as const)
      expect(() => decideSearches(ACCOUNT, again, { do: command, id }, NOW)).toThrow('no saved search of this id');
  });

  it('given a feed, then a new one replaces its token, and after revoking there is none', () => {
    const one = having(NO_SEARCHES, save('Openings'));
    const id = onlyId(one);
    const [first, second] = [newFeedToken(), newFeedToken()];
    const twice = having(
      one,
      { do: 'issue_feed', id, tokenHash: first.hash },
      { do: 'issue_feed', id, tokenHash: second.hash },
    );
    expect(twice.active.get(id)?.tokenHash).toBe(second.hash);
    expect([first.token === second.token, second.hash.includes(second.token)]).toEqual([false, false]);
    const revoked = having(twice, { do: 'revoke_feed', id });
    expect(revoked.active.get(id)?.tokenHash).toBeNull();
    expect(decideSearches(ACCOUNT, revoked, { do: 'revoke_feed', id }, NOW)).toEqual([]);
  });

  it('given the maximum number of searches, then one more is refused', () => {
    const full = having(NO_SEARCHES, ...Array.from({ length: MAXIMUM_SEARCHES }, (_, n) => save(`Search ${n}`)));
    expect(() => decideSearches(ACCOUNT, full, save('One more'), NOW)).toThrow(String(MAXIMUM_SEARCHES));
  });
});
