import { describe, expect, it } from 'vitest';
import { sessionsModel } from '../../../projector/models/ask-read-models.ts';
import type { AccountId } from '../../../schemas/access.ts';
import { specification, storedEvent } from '../given-when-then.ts';

const { given } = specification(sessionsModel());
const session_id = 'ses_0123456789abcdef';
const account_id = 'acc_0123456789abcdef' as AccountId;
const started = storedEvent('SessionStarted', { session_id, slug: 'what-opened', account_id });
const answered = (ordinal: number) =>
  storedEvent('QuestionAnswered', {
    session_id,
    ordinal,
    question: 'What opened?',
    content: 'Stores.',
    citations: [],
    confidence: 0.9,
    asked_at: '2026-11-21T04:30:00Z',
    request_id: `req_${ordinal}`,
    cost_usd: 0,
  });

describe('the row of a session', () => {
  it('given a session, when it is answered in, has the turn, private', () => {
    const outcome = given([started]).when(answered(1));

    expect(outcome.records('sessions', session_id)).toEqual([
      { slug: 'what-opened', account: account_id, is_public: false, turns: 1 },
    ]);
    const [turn] = outcome.records('session_turns', session_id);
    expect(turn?.ordinal).toBe(1);
    expect(JSON.parse(String(turn?.turn))).toMatchObject({ question: 'What opened?', content: 'Stores.' });
  });

  it('given a turn, when its event is repeated, keeps one', () => {
    expect(
      given([started, answered(1)])
        .when(answered(1))
        .records('session_turns', session_id),
    ).toHaveLength(1);
  });

  it.each([
    ['shared', [started, answered(1)], storedEvent('SessionShared', { session_id }), true],
    [
      'taken back',
      [started, storedEvent('SessionShared', { session_id })],
      storedEvent('SessionUnshared', { session_id }),
      false,
    ],
  ])('given one that is %s, is public or not', (_, before, event, isPublic) => {
    expect(given(before).when(event).records('sessions', session_id)[0]?.is_public).toBe(isPublic);
  });

  it('given nothing, when it is answered in, refuses it', () => {
    expect(given([]).when(answered(1)).refused).toEqual([expect.stringContaining('no SessionStarted before it')]);
  });
});
