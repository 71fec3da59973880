import { describe, expect, it } from 'vitest';
import { framesOf } from '../../../answer/answer-stream.ts';
import type { AskedTurn, OpenQuestion } from '../../../answer/ask.ts';

const question: OpenQuestion = {
  text: 'What did Kiri Foods open?',
  request: { messages: [], account: null, requestId: 'req_1' },
  session: { id: 'ses_0123456789abcdef', slug: 'kiri', account: null, is_public: false, turns: [], revision: -1 },
};
const turn: AskedTurn = {
  answer: {
    ...{ content: 'Stores.', citations: [], confidence: 0.9, request_id: 'req_1' },
    ...{ session_id: 'ses_0123456789abcdef', session_slug: 'kiri' },
  },
  ordinal: 1,
  parts: { pieces: [{ text: 'Stores.', ids: [] }], research_topic: 'Kiri Foods', cost_usd: 0 },
  position: 1n,
};
const typesOf = (frames: readonly string[]): (string | undefined)[] =>
  frames.map((frame) => /^event: (\S+)\n/.exec(frame)?.[1]);
const baseUrl = 'http://clarity.test';

describe('the frames of an answer', () => {
  it('given an answer that takes its time, then the stream begins at once and its heart beats', async () => {
    let give: (turn: AskedTurn) => void = () => undefined;
    const answer = new Promise<AskedTurn>((resolve) => {
      give = resolve;
    });
    const frames = framesOf(question, () => answer, { baseUrl, failed: async () => undefined, heartbeat: 1 });
    const seen: string[] = [];
    for await (const frame of frames) {
      seen.push(frame);
      if (typesOf(seen).filter((type) => type === 'ping').length === 2) give(turn);
    }

    expect(typesOf(seen).slice(0, 3)).toEqual(['message_start', 'ping', 'ping']);
    expect(typesOf(seen)).toContain('clarity.research_promotion_available');
    expect(typesOf(seen).at(-1)).toBe('message_stop');
  });

  it('given an answer that fails, then an error that hides its cause, and the question is given back', async () => {
    const failures: unknown[] = [];
    const failed = async (error: unknown): Promise<void> => void failures.push(error);
    const answer = (): Promise<AskedTurn> => Promise.reject(new Error('secret of the database'));
    const frames: string[] = [];
    for await (const frame of framesOf(question, answer, { baseUrl, failed })) frames.push(frame);

    expect(typesOf(frames)).toEqual(['message_start', 'error']);
    expect(frames.join('')).not.toContain('secret');
    expect(failures).toHaveLength(1);
  });
});
