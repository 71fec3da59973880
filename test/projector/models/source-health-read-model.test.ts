import { describe, expect, it } from 'vitest';
import { type HealthFacts, healthOf } from '../../../projector/models/source-health-queries.ts';
import { sourceHealthModel } from '../../../projector/models/source-health-read-model.ts';
import type { ItemKey } from '../../../schemas/poll.ts';
import { sourceId } from '../../harness/ids.ts';
import { specification, storedEvent } from '../given-when-then.ts';
import { added, poll, polled, SOURCE, source } from '../source-events.ts';

const { given } = specification(sourceHealthModel());
const failed = { outcome: 'failed', error: { code: 'http_503', message: 'the server is busy' } } as const;

describe('the row of a source', () => {
  it('is the same whichever of roster and poll comes first', () => {
    const [roster, first] = [added(), polled({ items_new: 3 })];

    expect(given([roster]).when(first).row(SOURCE)).toEqual(given([first]).when(roster).row(SOURCE));
  });

  it('counts failures in a row, and forgets them after a success', () => {
    const broken = given([added(), polled({ ...failed }, 1)]).when(polled({ ...failed }, 2));
    expect(broken.row(SOURCE)?.polls).toMatchObject({
      consecutive_failures: 2,
      last_error: 'http_503: the server is busy',
      last_success_at: null,
    });

    const recovered = given([added(), polled({ ...failed }, 1)]).when(polled({}, 2));
    expect(recovered.row(SOURCE)?.polls).toMatchObject({ consecutive_failures: 0, last_error: null });
  });

  it('keeps what a conditional GET needs over failures and unchanged polls', () => {
    const first = polled({ outcome: 'changed', etag: '"one"', last_modified: 'x', listed: { key: 'print' } }, 1);
    const nothing = { etag: null, last_modified: null, listed: null };

    const outcome = given([first, polled({ ...failed, ...nothing }, 2)]).when(polled({ ...nothing }, 3));

    expect(outcome.row(SOURCE)?.polls).toMatchObject({ etag: '"one"', last_modified: 'x', listed: { key: 'print' } });
  });

  it('given polls that add nothing, and polls of version 1.0, then what pollers learnt is kept', () => {
    const since = '2026-11-20T01:00:00Z';
    const arrival_pattern = { since, as_of: since, last_item_at: null, counts: Array.from({ length: 168 }, () => 0) };
    const polling_hints = { minimum_seconds: 3_600, skip_hours: [0], skip_days: [] };
    const learnt = polled({ arrival_pattern, polling_hints, polls_today: 3 }, 1);

    const unchanged = given([learnt]).when(polled({ arrival_pattern: null, polling_hints: null, polls_today: 4 }, 2));
    expect(unchanged.row(SOURCE)?.polls).toMatchObject({ arrival_pattern, polling_hints, polls_today: 4 });

    const older = given([learnt]).when(polled({}, 2));
    expect(older.row(SOURCE)?.polls).toMatchObject({ arrival_pattern, polling_hints, polls_today: 0 });
    expect(given([]).when(polled({}, 2)).row(SOURCE)?.polls).toMatchObject({
      arrival_pattern: null,
      polling_hints: null,
    });
  });

  it('dates a frozen feed by its newest item, and learns the usual gap', () => {
    const frozen = given([]).when(polled({ items_new: 20, newest_item_at: '2024-04-01T00:00:00Z' }));
    expect(frozen.row(SOURCE)?.polls?.last_item_at).toBe('2024-04-01T00:00:00Z');

    const alive = given([polled({ items_new: 1 }, 1)]).when(polled({ items_new: 2 }, 3));
    expect(alive.row(SOURCE)?.polls?.usual_gap_seconds).toBe(3600);
  });

  it('counts items by hour and keeps fourteen days of them', () => {
    const outcome = given([polled({ items_new: 1 }, 0), polled({ items_new: 2 }, 0.5)]).when(
      polled({ items_new: 4 }, 14 * 24 - 1),
    );
    expect(outcome.row(SOURCE)?.polls?.hours.map(({ items }) => items)).toEqual([3, 4]);

    const later = given([polled({ items_new: 1 }, 0)]).when(polled({ items_new: 4 }, 14 * 24));
    expect(later.row(SOURCE)?.polls?.hours.map(({ items }) => items)).toEqual([4]);
  });

  it('given a late poll, counts it in its hour and keeps the newer state', () => {
    const outcome = given([polled({ items_new: 1 }, 5)]).when(polled({ ...failed }, 2));

    expect(outcome.row(SOURCE)?.polls).toMatchObject({
      consecutive_failures: 0,
      last_polled_at: poll({}, 5).started_at,
    });
    expect(outcome.row(SOURCE)?.polls?.hours).toHaveLength(2);
  });

  it('given a poll that says nothing of what waits for articles, then what waited before still does', () => {
    const time = '2026-11-20T01:00:00.000Z';
    const one = {
      item_key: 'a' as ItemKey,
      url: 'https://a.test/a',
      title: 'A',
      summary: null,
      published_at: null,
      approximate_at: null,
    };
    const state = {
      listed_as: 'f',
      first_seen_at: time,
      backlog: false,
      before: null,
      edits: 0,
      held: true,
      published: false,
    };
    const waiting = [{ ...one, ...state, found_at: time, next_try_at: time, tries: 1 }];

    const kept = given([added(), polled({ waiting }, 1)]).when(polled({}, 2));
    expect(kept.row(SOURCE)?.polls?.waiting).toEqual(waiting);

    const done = given([added(), polled({ waiting }, 1), polled({}, 2)]).when(polled({ waiting: [] }, 3));
    expect(done.row(SOURCE)?.polls?.waiting).toEqual([]);
  });

  it('follows moves and retirement', () => {
    const by = { by: 'roster', why: 'moved' };
    const moved = storedEvent('SourceMoved', {
      ...by,
      source_id: sourceId(SOURCE),
      from: source().url,
      to: 'https://new.test/feed',
    });

    const outcome = given([added(), moved]).when(storedEvent('SourceRetired', { ...by, source_id: sourceId(SOURCE) }));

    expect(outcome.records('sources', SOURCE)).toMatchObject([{ url: 'https://new.test/feed', listed: false }]);
  });
});

describe('healthOf', () => {
  const now = new Date('2026-11-21T12:30:00Z');
  const ago = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000);
  const well: HealthFacts = {
    paused: false,
    last_polled_at: ago(0.1),
    last_success_at: ago(0.1),
    last_item_at: ago(1),
    consecutive_failures: 0,
    usual_gap_seconds: 3600,
    hours: [{ hour: '2026-11-21T12:00:00Z', items: 2, polls: 10, failures: 0 }],
  };

  it.each<[string, Partial<HealthFacts>, string]>([
    ['all well', {}, 'healthy'],
    ['paused, though it fails', { paused: true, consecutive_failures: 9 }, 'paused'],
    ['never polled', { last_polled_at: null, last_item_at: null, hours: [] }, 'degraded'],
    ['one failure', { consecutive_failures: 1 }, 'degraded'],
    ['three failures in a row', { consecutive_failures: 3 }, 'failing'],
    ['a fifth of the polls failing', { hours: [{ ...anHour(), polls: 10, failures: 2 }] }, 'degraded'],
    ['13 hours without an item', { last_item_at: ago(13) }, 'degraded'],
    ['25 hours without an item', { last_item_at: ago(25) }, 'silent'],
    ['25 hours, where a day is usual', { last_item_at: ago(25), usual_gap_seconds: 86_400 }, 'healthy'],
    ['73 hours, where a day is usual', { last_item_at: ago(73), usual_gap_seconds: 86_400 }, 'silent'],
    [
      'never an item since yesterday',
      { last_item_at: null, hours: [{ ...anHour(), hour: '2026-11-20T11:00:00Z' }] },
      'silent',
    ],
  ])('given %s, answers', (_, changes, health) => {
    expect(healthOf({ ...well, ...changes }, now)).toBe(health);
  });
});

function anHour() {
  return { hour: '2026-11-21T12:00:00Z', items: 0, polls: 1, failures: 0 };
}
