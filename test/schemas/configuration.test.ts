import { describe, expect, it } from 'vitest';
import { daysOfTopic, readConfiguration } from '../../schemas/configuration.ts';

describe('TOPIC_RETENTION_DAYS', () => {
  it.each([
    ['', { items: 90, polls: 90 }],
    ['0', { items: 0, polls: 0 }],
    ['30', { items: 30, polls: 30 }],
    ['90,items=400,polls=14.5', { items: 400, stories: 90, polls: 14.5 }],
    [' polls = 0 , 7 ', { items: 7, polls: 0 }],
    ['stories=1', { items: 90, stories: 1 }],
  ])('given %j, then each topic has its days', (text, expected) => {
    const days = readConfiguration({ TOPIC_RETENTION_DAYS: text }).TOPIC_RETENTION_DAYS;
    expect(Object.fromEntries(Object.keys(expected).map((topic) => [topic, daysOfTopic(days, topic)]))).toEqual(
      expected,
    );
  });

  it.each(['-1', 'ten', 'items', 'items=', 'orders=3', 'items=1,items=2', '3,4', '40000'])(
    'given %j, then the error names the part and what is allowed',
    (text) => {
      expect(() => readConfiguration({ TOPIC_RETENTION_DAYS: text })).toThrow(
        /TOPIC_RETENTION_DAYS: .* must be days from 0 to 36500, or a topic with its days \(items, stories, polls\)/,
      );
    },
  );
});
