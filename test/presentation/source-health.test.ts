import { describe, expect, it } from 'vitest';
import { failureInWords, healthReason, spanInWords } from '../../presentation/quality.ts';
import { type HealthFacts, healthCause } from '../../projector/models/source-health-queries.ts';

const now = new Date('2026-11-20T12:00:00Z');
const hoursAgo = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000);
const good = { outcome: 'changed', error: null, http_status: 200 } as const;
const timeout = { outcome: 'failed', error: 'timeout: no answer in 20 s', http_status: null } as const;
const busy = { outcome: 'failed', error: 'server_error: HTTP 503', http_status: 503 } as const;
const facts = (changes: Partial<HealthFacts> = {}): HealthFacts => ({
  paused: false,
  last_polled_at: hoursAgo(0.1),
  last_success_at: hoursAgo(0.1),
  last_item_at: hoursAgo(1),
  consecutive_failures: 0,
  usual_gap_seconds: 7_200,
  hours: [{ hour: '2026-11-20T11:00:00Z', items: 3, polls: 10, failures: 0 }],
  ...changes,
});
const some = [{ hour: '2026-11-20T11:00:00Z', items: 3, polls: 10, failures: 3 }];

describe('healthReason', () => {
  it.each([
    ['paused', { paused: true }, [good], 'Paused by an operator; it is not polled'],
    ['new', { last_polled_at: null, last_success_at: null }, [], 'Not polled yet'],
    [
      'failing in one way',
      { consecutive_failures: 4, last_success_at: hoursAgo(3) },
      [good, timeout, timeout, timeout, timeout],
      'The last 4 polls timed out; the last good poll was 3 hours ago',
    ],
    [
      'failing in two ways from the beginning',
      { consecutive_failures: 3, last_success_at: null },
      [timeout, busy, timeout],
      'The last 3 polls failed: 2 timed out, 1 got HTTP 503; no poll has succeeded yet',
    ],
    ['failed once', { consecutive_failures: 1 }, [good, busy], 'The last poll got HTTP 503'],
    ['failed again', { consecutive_failures: 1 }, [good, timeout, good, timeout], '2 of the last 4 polls timed out'],
    ['silent', { last_item_at: hoursAgo(72) }, [good], 'No new item for 3 days; usually one every 2 hours'],
    ['slow', { last_item_at: hoursAgo(13), usual_gap_seconds: null }, [good], 'No new item for 13 hours'],
    [
      'flaky lately',
      { hours: some },
      [timeout, good, timeout, good, good, timeout, good, good, good, good, good],
      '2 of the last 10 polls timed out',
    ],
    ['flaky earlier', { hours: some }, [good, good], '3 of 10 polls in 24 hours failed; the last 2 succeeded'],
    [
      'read in part',
      {},
      [good, { ...good, error: 'too_complex: the feed has too many elements' }],
      'The last poll read only a part of the feed (too_complex)',
    ],
    ['healthy', {}, [good], 'The last poll succeeded; usually a new item every 2 hours'],
  ] as const)('given a source that is %s, then its reason is a sentence', (_, changes, recent, reason) => {
    const health = facts(changes);
    expect(healthReason(healthCause(health, now), health, recent, now)).toBe(reason);
  });
});

describe('failureInWords', () => {
  it('names a browser check whatever its status, and an unknown code as it is', () => {
    expect(failureInWords({ error: 'challenge: x', http_status: 403 })).toBe('met a browser check');
    expect(failureInWords({ error: 'odd: x', http_status: null })).toBe('failed (odd)');
  });
});

describe('spanInWords', () => {
  it.each([
    [0, '1 second'],
    [90_000, '90 seconds'],
    [3_600_000, '60 minutes'],
    [36_000_000, '10 hours'],
    [172_800_000, '2 days'],
  ])('given %d ms, then %s', (span, words) => expect(spanInWords(span)).toBe(words));
});
