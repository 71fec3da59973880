/** Which traces are kept: whole ones, and the same by every process. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handledId, parentIdOf, writtenId } from '../../../bin/observe/event-tracing.ts';
import { openTracing } from '../../../bin/observe/observed-process.ts';
import type { Services } from '../../../bin/services.ts';
import type { Topic } from '../../../log/topic.ts';
import { readConfiguration } from '../../../schemas/configuration.ts';
import type { Event } from '../../../schemas/events.ts';
import { eventHandled, eventsProjected } from '../../../schemas/observation.ts';
import { type Collector, startCollector } from '../../harness/collector.ts';

const logger = pino({ level: 'silent' });
let collectors: [Collector, Collector];
beforeEach(async () => {
  collectors = [await startCollector(), await startCollector()];
});
afterEach(() => Promise.all(collectors.map((collector) => collector.close())));

const event = (more: Partial<Event> = {}): Event => ({
  id: randomUUID(),
  type: 'ItemFound',
  version: 1,
  time: new Date().toISOString(),
  causation_id: null,
  correlation_id: randomUUID(),
  data: {},
  ...more,
});
const started = performance.now();

/** Two tracings get the same events, as in two processes that handle the same events. */
async function traced(settings: Record<string, string>, work: () => unknown): Promise<string[][]> {
  const open = collectors.map(({ url }) =>
    openTracing('test', readConfiguration({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...settings }), logger),
  );
  const tracings = await Promise.all(open);
  await work();
  await Promise.all(tracings.map((tracing) => tracing.close()));
  return collectors.map(({ spans }) => spans.map(({ traceId }) => traceId).toSorted());
}

const walk = (one: Event): void => {
  eventHandled.emit({ handling: 'understand', event: one, started, outcome: 'noise' });
  eventsProjected.emit({ model: 'm', types: ['ItemFound'], events: [one], parked: [], started });
};

describe('a share of the traces', () => {
  it('contains the same traces in every process, and each trace completely', async () => {
    const events = Array.from({ length: 200 }, () => event());
    const settings = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' };
    const [one, other] = await traced(settings, () => events.forEach(walk));
    expect(one).toEqual(other);
    const kept = new Set(one);
    expect(one).toHaveLength(2 * kept.size);
    // Six times the deviation of 200 tosses of a coin.
    expect(Math.abs(kept.size - 100)).toBeLessThan(6 * Math.sqrt(50));
  });

  it('can be none; and with tracing turned off nothing is sent', async () => {
    expect(await traced({ OTEL_TRACES_SAMPLER: 'always_off' }, () => walk(event()))).toEqual([[], []]);
    expect(await traced({ OTEL_SDK_DISABLED: 'true' }, () => walk(event()))).toEqual([[], []]);
  });

  it('leaves out old events, types that a model ignores and invalid events, and continues', async () => {
    const [old, wanted] = [event({ time: '2026-01-01T00:00:00Z' }), event()];
    const broken = [event({ correlation_id: 'none' }), { type: 'ItemFound' } as Event, event({ time: 'soon' })];
    const [spans] = await traced({}, () => {
      for (const one of [old, ...broken, wanted]) walk(one);
      eventsProjected.emit({ model: 'm', types: ['StoryUnderstood'], events: [wanted], parked: [], started });
    });
    expect(spans).toEqual(Array(2).fill(wanted.correlation_id.replaceAll('-', '')));
  });

  it('never fails a write for an event that cannot be traced', async () => {
    const written: unknown[] = [];
    const topic = { name: 'items', publish: async (messages) => void written.push(...messages) } as Partial<Topic>;
    const bare = { topics: { topic: () => topic }, store: {} } as unknown as Services;
    const tracing = await openTracing(
      'test',
      readConfiguration({ OTEL_EXPORTER_OTLP_ENDPOINT: collectors[0].url }),
      logger,
    );
    const messages = [{ key: 'a', event: { type: 'ItemFound' } as Event }];
    await tracing.over(bare).topics.topic('items').publish(messages);
    await tracing.close();
    expect(written).toEqual(messages);
    expect(collectors[0].spans).toEqual([]);
  });
});

describe('the ids of spans', () => {
  const uuids = fc.uuid();
  it('are 64 bits, never the same for writing an event and for each way of handling it', () => {
    fc.assert(
      fc.property(uuids, (id) => {
        const ids = [writtenId(id), ...(['understand', 'match', 'analyse'] as const).map((by) => handledId(by, id))];
        expect(new Set(ids).size).toBe(ids.length);
        for (const one of ids) expect(one).toMatch(/^[0-9a-f]{16}$/);
      }),
    );
  });

  it('lead from what follows to the work on its cause, from an item to its poll, and from a first event nowhere', () => {
    fc.assert(
      fc.property(uuids, uuids, (cause, poll) => {
        const caused = (type: string) => event({ type, causation_id: cause, correlation_id: poll });
        expect(parentIdOf(caused('StoryUnderstood'))).toBe(handledId('understand', cause));
        expect(parentIdOf(caused('SignalDetected'))).toBe(handledId('match', cause));
        expect(parentIdOf(caused('SignalAnalysed'))).toBe(handledId('analyse', cause));
        expect(parentIdOf(event({ correlation_id: poll }))).toBe(writtenId(poll));
        expect(parentIdOf(event({ id: poll, correlation_id: poll }))).toBeNull();
      }),
    );
  });
});
