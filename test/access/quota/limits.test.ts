import { describe, expect, it } from 'vitest';
import { ANONYMOUS, type Caller } from '../../../access/caller.ts';
import {
  anonymousToolWindows,
  assistantWindows,
  type Charge,
  limitRefusal,
  restWindows,
  type Window,
} from '../../../access/quota/limits.ts';
import type { AccountId } from '../../../schemas/access.ts';

const ADDRESS = '192.0.2.1';
const keyed = (plan: 'free' | 'pro'): Caller => ({
  kind: 'key',
  account: 'acc_0123456789abcdef' as AccountId,
  plan,
  scopes: ['read', 'ask'],
  keyId: 'key_0123456789abcdef',
});
const describeWindows = (windows: readonly Window[]): string[] =>
  windows.map(({ name, max, seconds }) => `${name} ${max}/${seconds}`);

describe('what a call is counted against', () => {
  it.each([
    ['anonymous', 'POST', '/api/v1/ask', ANONYMOUS, ['ask 30/60']],
    ['anonymous', 'POST', '/api/v1/sources/propose', ANONYMOUS, ['propose 3/3600']],
    ['anonymous', 'GET', '/api/v1/sources/health', ANONYMOUS, ['sources-health 60/60']],
    ['free', 'GET', '/api/v1/signals/:slug', keyed('free'), ['minute 30/60', 'day 100/86400']],
    ['pro', 'GET', '/api/v1/follow', keyed('pro'), ['minute 60/60', 'day 5000/86400']],
    [
      'pro',
      'POST',
      '/api/v1/ask',
      keyed('pro'),
      ['minute 60/60', 'ask 30/60', 'day 5000/86400', 'questions 200/86400'],
    ],
    ['pro', 'POST', '/api/v1/research', keyed('pro'), ['minute 60/60', 'research 5/300', 'day 5000/86400']],
    ['pro', 'GET', '/api/v1/research/:id', keyed('pro'), ['minute 60/60', 'day 5000/86400']],
    ['pro', 'DELETE', '/api/v1/keys/:id', keyed('pro'), ['keys 30/60']],
  ])('given %s and %s %s, then these windows', (_, method, path, caller, expected) => {
    const windows = restWindows(caller, ADDRESS, { method, path, question: path.endsWith('/ask') });
    expect(describeWindows(windows)).toEqual(expected);
    expect(new Set(windows.map(({ key }) => key)).size).toBe(windows.length);
  });

  it('given assistants, then 50 a day without a key, and 2,000 for all sessions of one', () => {
    expect(describeWindows(anonymousToolWindows(ADDRESS))).toEqual(['minute 30/60', 'day 50/86400']);
    expect(describeWindows(assistantWindows('chat', 'session-1'))).toEqual([
      'minute 30/60',
      'day 50/86400',
      'assistant-day 2000/86400',
    ]);
    expect(describeWindows(assistantWindows('chat', null))).toEqual(['assistant-day 2000/86400']);
  });
});

describe('the response to a call above a limit', () => {
  const at = new Date('2026-11-21T04:30:00Z');
  const windows = restWindows(keyed('pro'), ADDRESS, { method: 'POST', path: '/api/v1/ask', question: true });
  const full = (...names: readonly string[]): Charge => ({
    fits: false,
    at,
    windows: windows.map((window) => ({
      ...window,
      used: names.includes(window.name) ? window.max : 0,
      endsAt: new Date(at.getTime() + 1_500),
    })),
  });

  it.each([
    [['minute', 'day', 'questions'], 'rate_limited', 'minute', 60],
    [['ask', 'questions'], 'rate_limited', 'minute', 30],
    [['day', 'questions'], 'quota_exhausted', 'day', 5_000],
    [['questions'], 'ask_quota', 'day', 200],
  ] as const)('given the full windows %j, then the error is %s', (names, code, window, max) => {
    const refusal = limitRefusal(full(...names), keyed('pro'), 'http://clarity.test/plans');
    expect(refusal.code).toBe(code);
    expect(refusal.details).toMatchObject({ limit: { window, max, plan: 'pro' }, retry_after: 2 });
    expect(refusal.headers).toMatchObject({
      'retry-after': '2',
      'x-ratelimit-limit': String(max),
      'x-ratelimit-remaining': '0',
    });
  });
});
