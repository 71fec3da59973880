/** A collector that refuses spans, or takes them and never says so: it costs spans and nothing else. */
import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Tracing } from '../../../bin/observe/observed-process.ts';
import { startTracing } from '../../../bin/observe/otel-provider.ts';
import { readConfiguration } from '../../../schemas/configuration.ts';
import { eventHandled } from '../../../schemas/observation.ts';
import { type Collector, startCollector } from '../../harness/collector.ts';
import { eventually } from '../../harness/eventually.ts';

/** A batch goes as soon as it has so many spans. */
const BATCH = 512;
const lines: { msg: string; lost?: number; level: number }[] = [];
const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
let collector: Collector;
let tracing: Tracing;

beforeEach(async () => {
  lines.length = 0;
  collector = await startCollector();
});
afterEach(async () => {
  await tracing.close();
  await collector.close();
});

/** @param shutdownTimeoutMs milliseconds that its end waits for the collector */
function trace(shutdownTimeoutMs = 20_000): void {
  const configuration = readConfiguration({ OTEL_BSP_MAX_QUEUE_SIZE: String(BATCH) });
  tracing = startTracing({
    name: 'test',
    address: `${collector.url}/v1/traces`,
    configuration,
    logger,
    shutdownTimeoutMs,
  });
}

function handle(many: number): void {
  for (let one = 0; one < many; one++) {
    const id = randomUUID();
    eventHandled.emit({
      handling: 'understand',
      started: performance.now(),
      outcome: 'noise',
      event: {
        id,
        type: 'ItemFound',
        version: 1,
        time: new Date().toISOString(),
        causation_id: null,
        correlation_id: id,
        data: {},
      },
    });
  }
}
const received = (): number => collector.bodies.join('').split('"spanId"').length - 1;

describe('a collector', () => {
  it('that never answers, given more spans than the queue holds, gets no more than these, and delays neither work nor shutdown', async () => {
    collector.mood = 'silent';
    trace(100);
    handle(20 * BATCH);
    await eventually(() => expect(received()).toBeGreaterThan(0));
    // Resolves although the collector has answered nothing.
    await tracing.close();
    expect(received()).toBeLessThanOrEqual(2 * BATCH);
  });

  it('that refuses is logged once, and again when it accepts spans, with the number of lost ones', async () => {
    collector.mood = 'refusing';
    trace();
    for (const round of [1, 2]) {
      handle(BATCH);
      await eventually(() => expect(collector.bodies).toHaveLength(round));
    }
    collector.mood = 'willing';
    await eventually(() => {
      handle(BATCH);
      expect(lines).toHaveLength(2);
    });
    expect(lines.map(({ msg }) => msg)).toEqual([
      'traces cannot be delivered and are dropped; everything else continues',
      'the collector accepts traces again',
    ]);
    expect(lines[1]?.lost).toBeGreaterThanOrEqual(2 * BATCH);
  });

  it('gets the queued spans when the process ends', async () => {
    trace();
    handle(3);
    await tracing.close();
    expect(collector.spans).toHaveLength(3);
    expect(lines).toEqual([]);
  });
});
