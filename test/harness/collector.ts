/** A collector of traces on loopback, which accepts OTLP over HTTP in JSON. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) });
const Span = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().default(''),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.coerce.bigint(),
  endTimeUnixNano: z.coerce.bigint(),
  attributes: z.array(Attribute).default([]),
  status: z.object({ code: z.number().default(0) }).default({ code: 0 }),
});
const Request = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(Attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

export interface CollectedSpan extends Omit<z.infer<typeof Span>, 'attributes'> {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly service: unknown;
}

export interface Collector {
  readonly url: string;
  /** `silent` reads requests and never responds. */
  mood: 'willing' | 'refusing' | 'silent';
  readonly spans: CollectedSpan[];
  /** Everything received, unchanged. */
  readonly bodies: string[];
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const valuesOf = (attributes: z.infer<typeof Attribute>[]) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray().catch(() => null);
    // The sender may end before it has sent everything.
    if (!chunks) return;
    const body = chunks.join('');
    bodies.push(body);
    if (collector.mood === 'silent') return;
    if (collector.mood === 'refusing' || request.url !== '/v1/traces') return void response.writeHead(404).end();
    for (const { resource, scopeSpans } of Request.parse(JSON.parse(body)).resourceSpans)
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
        const service = valuesOf(resource.attributes)['service.name'];
        spans.push({ ...span, attributes: valuesOf(span.attributes), service });
      }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood: 'willing',
    spans,
    bodies,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return collector;
}

/** The spans as lines, each indented under its parent, siblings by name; a span without its parent is a root. */
export function treeOf(spans: readonly CollectedSpan[]): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const under = (parent: string | null, depth: number): string[] =>
    spans
      .filter(({ parentSpanId }) => (ids.has(parentSpanId) ? parentSpanId : null) === parent)
      .toSorted((one, other) => one.name.localeCompare(other.name))
      .flatMap(({ name, spanId }) => [`${'  '.repeat(depth)}${name}`, ...under(spanId, depth + 1)]);
  return under(null, 0);
}
