import { describe, expect, it } from 'vitest';
import { topicConfiguration } from '../../../log/kafka/kafka-settings.ts';

const named = (settings: Parameters<typeof topicConfiguration>[1]) =>
  Object.fromEntries(topicConfiguration('items', settings).map(({ name, value }) => [name, value]));

describe('how a topic of Kafka is created', () => {
  it.each([
    [1, undefined],
    [2, undefined],
    [3, '2'],
    [5, '2'],
  ])('given %i replicas, then min.insync.replicas is %s', (replicas, value) => {
    expect(named({ replicas })['min.insync.replicas']).toBe(value);
  });

  it('given days of retention, then they are set in milliseconds', () => {
    expect(named({ retentionDays: { otherwise: 2, topics: { polls: 1 } } })['retention.ms']).toBe('172800000');
    expect(named({ retentionDays: { otherwise: 2, topics: { items: 0 } } })['retention.ms']).toBe('-1');
  });
});
