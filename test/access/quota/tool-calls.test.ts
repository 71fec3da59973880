import { describe, expect, it } from 'vitest';
import { ANONYMOUS, type Caller } from '../../../access/caller.ts';
import type { Charge, Window } from '../../../access/quota/limits.ts';
import { toolLimitSentence, toolWindows } from '../../../access/quota/tool-calls.ts';
import type { AccountId } from '../../../schemas/access.ts';

const AT = new Date('2026-11-21T08:00:00Z');
const keyed = (plan: 'free' | 'pro'): Caller => ({
  kind: 'key',
  account: 'acc_0123456789abcdef' as AccountId,
  plan,
  scopes: ['read'],
  keyId: 'key_0123456789abcdef',
});

/** A charge in which the window of this name is full until a moment. */
const full = (windows: readonly Window[], name: string, endsAt: string): Charge => ({
  fits: false,
  at: AT,
  windows: windows.map((one) => ({ ...one, used: one.name === name ? one.max : 0, endsAt: new Date(endsAt) })),
});

const here = { headers: {}, address: '198.51.100.7' };
const CLAUDE = {
  id: 'claude',
  name: 'Claude',
  user_agent: 'Claude-User',
  addresses: ['160.79.104.0/21'],
  session_headers: [],
  session_meta: [],
};

describe('the message when tool calls are used up', () => {
  it.each([
    [
      'an unknown caller, the day',
      ANONYMOUS,
      'day',
      /^The 50 calls a day without a key are used until 23:59:59 IST on 21 November 2026; /,
    ],
    ['an unknown caller, the minute', ANONYMOUS, 'minute', /^The 30 calls a minute without a key/],
    ['a free account', keyed('free'), 'day', /^The 100 calls a day of the free plan .*; pro allows 60 calls a minute/i],
    ['a Pro account', keyed('pro'), 'minute', /^The 60 calls a minute of the Pro plan .*; spread your calls/],
  ])('given %s, then one sentence names the limit, the time in IST and what helps', (_who, caller, name, said) => {
    const charge = full(toolWindows([], caller, here), name, '2026-11-21T18:29:58.100Z');
    const sentence = toolLimitSentence(charge, caller);
    expect(sentence).toMatch(said);
    expect(sentence).toMatch(/^[^.]*(?:\d\.\d[^.]*)*\.$/);
  });

  it('given an assistant known by address and name, then the limit of its shared day is named; given only one of both, then not', () => {
    const headers = { 'user-agent': 'Claude-User' };
    const windows = toolWindows([CLAUDE], ANONYMOUS, { headers, address: '160.79.104.9' });
    expect(windows.map(({ name, max }) => [name, max])).toEqual([['assistant-day', 2_000]]);
    expect(toolLimitSentence(full(windows, 'assistant-day', '2026-11-21T20:00:00Z'), ANONYMOUS)).toMatch(
      /^The 2000 tool calls a day that all users of this assistant share are used until 01:30:00 IST on 22 November 2026; /,
    );
    const unknown = toolWindows([CLAUDE], ANONYMOUS, { ...here, headers });
    expect(unknown.map(({ max }) => max)).toEqual([30, 50]);
  });
});
