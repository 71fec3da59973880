/** What tracing costs: the processor time of an item from its topic to all read models, with a collector and without. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { type Bench, figureOf, type Given, median, startChild } from './bench.ts';

const Line = z.object({ microseconds: z.number() });

interface Collector {
  readonly url: string;
  spans(): number;
  close(): void;
}

/** It only counts: its own work must not be taken for that of tracing. */
async function countingCollector(): Promise<Collector> {
  let spans = 0;
  const server = createServer(async (request, response) => {
    for await (const chunk of request) spans += String(chunk).split('"spanId"').length - 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, spans: () => spans, close: () => void server.close() };
}

async function measured({ url }: Given, settings: Record<string, string>): Promise<number> {
  const child = startChild('tracing-process.ts', [url], Line, settings);
  for await (const { microseconds } of child.lines) {
    await child.ended();
    return microseconds;
  }
  throw new Error('the process ended without a figure');
}

export const tracing: Bench = {
  name: 'tracing',
  async run({ empty, rounds, log }) {
    const collector = await countingCollector();
    const on = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_MAX_QUEUE_SIZE: '200000' };
    const tenth = { ...on, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' };
    const [without, all, some]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      without.push(await measured(await empty(), {}));
      all.push(await measured(await empty(), on));
      log(`${collector.spans()} spans were sent`);
      some.push(await measured(await empty(), tenth));
    }
    collector.close();
    const figure = (name: string, values: number[]) =>
      figureOf({
        ...{ figure: `processor time of an item, ${name}`, unit: 'µs', measured: median(values) },
        baseline: { what: 'without tracing', measured: median(without) },
      });
    return [figure('every trace kept', all), figure('a tenth kept', some)];
  },
};
