import pg from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { BadInput, describeError, kindOf, logError, Stopping } from '../../log/errors.ts';
import { RevisionConflict } from '../../log/event-store.ts';
import { EventTooLarge } from '../../log/topic.ts';
import { UnreadableEvent } from '../../schemas/events.ts';

const coded = (code: string | number, message = 'failed'): Error => Object.assign(new Error(message), { code });
const stated = (code: string): Error => Object.assign(new pg.DatabaseError('refused', 7, 'error'), { code });
const named = (name: string): Error => Object.assign(new Error('failed'), { name });

describe('the kind of an error', () => {
  test.each([
    ['a refused connection', coded('ECONNREFUSED')],
    ['a database that starts', stated('57P03')],
    ['a full disk', stated('53100')],
    ['a deadlock', stated('40P01')],
    ['wrong credentials', stated('28P01')],
    ['a broken connection', new Error('Connection terminated unexpectedly')],
    ['a raw error of gRPC', coded(14, '14 UNAVAILABLE: read ECONNRESET')],
    ['a client of Kafka', named('KafkaJSNumberOfRetriesExceeded')],
    ['a client of EventStoreDB', named('UnavailableError')],
    ['another writer', new RevisionConflict('signal-1', 0, 1)],
    ['a stop', new Stopping('stops')],
    ['a wrapper of one', new Error('publishing failed', { cause: coded('ETIMEDOUT') })],
  ])('given %s, then it is transient', (_, error) => expect(kindOf(error)).toBe('transient'));

  test.each([
    ['an event of another form', new UnreadableEvent({ id: '1', type: 'ItemFound' }, 'title is missing')],
    ['an event above the limit', new EventTooLarge('ItemFound', 9_000_000)],
    ['a refusal', new BadInput('an item without a title')],
    ['a wrapper of one', new Error('item 1', { cause: new BadInput('no title') })],
  ])('given %s, then it is bad input', (_, error) => expect(kindOf(error)).toBe('bad input'));

  test.each([
    ['a programming error', new TypeError("Cannot read properties of undefined (reading 'slug')")],
    ['a statement that is wrong', stated('42601')],
    ['a value that no column takes', stated('22021')],
    ['a row of another form', new z.ZodError([])],
    ['an unknown error', new Error('what?')],
    ['no error at all', 'thrown text'],
    ['a wrapper of one', new Error('story 1', { cause: new RangeError('Maximum call stack size exceeded') })],
  ])('given %s, then it is a defect', (_, error) => expect(kindOf(error)).toBe('defect'));
});

describe('an error in the log', () => {
  test('given an error of the driver that holds a whole body, then type, code and reason are logged and no body', () => {
    const body = 'x'.repeat(900_000);
    const error = Object.assign(new pg.DatabaseError(`invalid input: ${body}`, 7, 'error'), {
      code: '22021',
      where: `unnamed portal parameter $5 = '${body}'`,
      detail: body,
      cause: new TypeError('the cause'),
    });
    const logger = { warn: vi.fn(), error: vi.fn() };
    logError(logger, error, { event: 'e1' }, 'failed');
    const [about, message] = logger.error.mock.calls[0] as [object, string];
    expect(message).toBe('failed');
    expect(about).toMatchObject({
      event: 'e1',
      kind: 'defect',
      err: { code: '22021', message: expect.stringMatching(/^invalid input: x+ …/), cause: { type: 'TypeError' } },
    });
    expect(JSON.stringify(about).length).toBeLessThan(8_000);
  });

  test('given an error of zod, then the message lists its issues', () => {
    const parsed = z.object({ title: z.string() }).safeParse({ title: 1 });
    expect(describeError(parsed.error).message).toContain('title');
  });

  test('given bad input, then it has no stack: the program is not at fault', () => {
    expect(describeError(new BadInput('no title'))).toEqual({ type: 'BadInput', message: 'no title' });
    expect(describeError(new TypeError('x'))).toHaveProperty('stack');
  });

  test('given a transient error, then it is a warning', () => {
    const logger = { warn: vi.fn(), error: vi.fn() };
    logError(logger, stated('57P01'), {}, 'failed');
    expect(logger.warn).toHaveBeenCalledOnce();
    expect(logger.error).not.toHaveBeenCalled();
  });
});

describe('the log of an outage', () => {
  const lines: { about: Record<string, unknown>; message: string }[] = [];
  const note = (about: object, message: string): void =>
    void lines.push({ about: about as Record<string, unknown>, message });
  afterEach(() => {
    vi.useRealTimers();
    lines.length = 0;
  });

  test('given one that ends the attempts of many loops, then there is a line a minute with how many there were more', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const logger = { warn: note, error: note };
    for (let model = 0; model < 30; model++) logError(logger, coded('ECONNREFUSED'), { model }, 'a read model stopped');
    expect(lines).toHaveLength(1);
    vi.advanceTimersByTime(60_000);
    logError(logger, coded('ECONNREFUSED'), { model: 7 }, 'a read model stopped');
    expect(lines.map(({ about }) => [about.model, about.more])).toEqual([
      [0, undefined],
      [7, 29],
    ]);
  });

  test('given another reason, another message or a defect, then it has a line of its own', () => {
    const logger = { warn: note, error: note };
    logError(logger, coded('ECONNREFUSED'), {}, 'polling failed');
    logError(logger, coded('ECONNREFUSED', 'refused by the proxy'), {}, 'polling failed');
    logError(logger, coded('ECONNREFUSED'), {}, 'a read model stopped');
    for (let i = 0; i < 2; i++) logError(logger, new TypeError('x is undefined'), {}, 'polling failed');
    expect(lines).toHaveLength(5);
  });
});
