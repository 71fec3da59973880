import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { KeyBody } from '../../schemas/access.ts';
import { AskBody, ResearchBody } from '../../schemas/ask.ts';
import { readBody, readParameters } from '../../schemas/parameters.ts';
import { FollowBody } from '../../schemas/subscriptions.ts';

const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
};
const user = (content: unknown, more = {}) => ({ role: 'user', content, ...more });

describe('messages about a body', () => {
  it.each<[z.ZodObject, unknown, string]>([
    [AskBody, { messages: [user('x'.repeat(501))] }, 'messages[0].content has 501 characters; allowed: 1 to 500.'],
    [AskBody, { messages: [user('a'), user('  ')] }, 'messages[1].content has 0 characters; allowed: 1 to 500.'],
    [
      AskBody,
      { messages: [user(`${' '.repeat(480)}${'x'.repeat(21)}`)] },
      'messages[0].content has 501 characters; allowed: 1 to 500.',
    ],
    [AskBody, { messages: [user('🙂'.repeat(501))] }, 'messages[0].content has 501 characters; allowed: 1 to 500.'],
    [AskBody, { messages: [user(`  ${'🙂'.repeat(498)}`)] }, 'accepted'],
    [AskBody, { messages: [] }, 'messages has 0 items; allowed: 1 to 40.'],
    [AskBody, { messages: Array(41).fill(user('a')) }, 'messages has 41 items; allowed: 1 to 40.'],
    [
      AskBody,
      { messages: [{ role: 'system', content: 'a' }] },
      'messages[0].role: "system" cannot be used. Allowed: "user", "assistant".',
    ],
    [
      AskBody,
      { messages: [user(7)] },
      'messages[0].content: 7 cannot be used. Allowed: a text of 1 to 500 characters.',
    ],
    [
      AskBody,
      { messages: [{ role: 'user' }] },
      'messages[0].content is missing. Allowed: a text of 1 to 500 characters.',
    ],
    [
      AskBody,
      { messages: ['a'] },
      'messages[0]: "a" cannot be used. Allowed: an object with the fields role, content.',
    ],
    [
      AskBody,
      { messages: [user('a', { name: 'x' })] },
      'messages[0]: the field "name" is unknown. Allowed are role, content.',
    ],
    [
      FollowBody,
      { target: { type: 'shop', slug: 'zudio' } },
      'target.type: "shop" cannot be used. Allowed: "brand", "theme", "signal", "source".',
    ],
    [
      FollowBody,
      { target: { type: 'brand', slug: 'Zudio Beauty' } },
      'target.slug: "Zudio Beauty" cannot be used. Allowed: kebab-case ASCII such as "trent-zudio".',
    ],
    [ResearchBody, { topic: 'ab' }, 'topic has 2 characters; allowed: 3 to 300.'],
    [ResearchBody, { topic: ' ab ' }, 'topic has 2 characters; allowed: 3 to 300.'],
    [
      ResearchBody,
      { topic: 'grocery', brands: ['zudio', 'No Slug'] },
      'brands[1]: "No Slug" cannot be used. Allowed: kebab-case ASCII such as "trent-zudio".',
    ],
    [KeyBody, { name: 'a', scopes: ['read', 'write'] }, 'scopes[1]: "write" cannot be used. Allowed: "read", "ask".'],
    [AskBody, [], 'The body must be a JSON object. Its fields are messages, stream, session_id, query.'],
  ])('given an error in %#, then the message names the field and what is allowed', (schema, body, message) => {
    expect(messageOf(() => readBody(schema, body))).toBe(message);
  });

  it('given long values and thousands of errors, then the message stays short', () => {
    const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`${'x'.repeat(100)}${index}`, 1]));
    const many = messageOf(() => readBody(AskBody, { messages: [user('a')], ...unknown }));
    expect(many).toMatch(/and 19995 more are unknown/);
    const nested = Array.from({ length: 40 }, (_, index) => ({ role: 'user', content: index, ['y'.repeat(9_000)]: 1 }));
    const deep = messageOf(() => readBody(AskBody, { messages: nested }));
    expect(deep).toMatch(/75 more errors are not listed/);
    expect(Math.max(many.length, deep.length)).toBeLessThan(2_000);
  });
});

describe('messages about a query', () => {
  it('given a parameter that was sent twice, then the message says so', () => {
    expect(messageOf(() => readParameters(AskBody.pick({ session_id: true }), { session_id: ['a', 'b'] }))).toBe(
      'session_id was sent 2 times. Allowed: once, the session_id of an earlier answer, to go on with that session.',
    );
  });

  it('given a text that is too long for a parameter that takes a list too, then the message has the limit', () => {
    const several = z.union([z.string().max(2_000), z.array(z.string().max(2_000)).max(100)]);
    const read = () => readParameters(z.object({ b: several.optional() }), { b: 'b'.repeat(2_389) });
    expect(messageOf(read)).toBe('b has 2389 characters; allowed: 0 to 2000.');
  });
});
