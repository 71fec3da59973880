/** One item on its way through the real parts, in two processes, as a collector sees it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTracing } from '../../../bin/observe/observed-process.ts';
import { analysePart, matchPart, understandPart } from '../../../bin/parts.ts';
import type { Services } from '../../../bin/services.ts';
import type { Part } from '../../../bin/supervise.ts';
import { liveBuild } from '../../../projector/model-builds.ts';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { readModels } from '../../../projector/models/all-read-models.ts';
import { pollState } from '../../../projector/models/source-health-queries.ts';
import { runProjector } from '../../../projector/run-projector.ts';
import { readConfiguration } from '../../../schemas/configuration.ts';
import { startClarity } from '../../harness/clarity.ts';
import { type CollectedSpan, type Collector, startCollector, treeOf } from '../../harness/collector.ts';
import { eventually } from '../../harness/eventually.ts';
import { sourceId } from '../../harness/ids.ts';
import { type Outlets, startOutlets } from '../../harness/outlets.ts';
import { type Engine, testEngine } from '../../projector/engine.ts';

const MODELS = ['brands', 'signals', 'source_health', 'moves'];
const BRANDS = 'sources: [made up]\nbrands: [{ slug: zudio, name: Zudio, category: value_fashion }]\n';
const logger = pino({ level: 'silent' });
const stopping = new AbortController();
let running: Promise<void>[] = [];
let folder: string;
let collector: Collector;
let outlets: Outlets;
let engine: Engine;

/** A poller in a process of its own finds one item; the other parts run here until the analysis of its signal is shown. */
beforeAll(async () => {
  [collector, outlets, engine] = await Promise.all([startCollector(), startOutlets(['paper'], 3_600), testEngine()]);
  folder = await mkdtemp(join(tmpdir(), 'clarity-traces-'));
  const { database, url, store, topics } = engine;
  const settings = {
    DATABASE_URL: url,
    ROSTER: join(folder, 'roster'),
    ALLOW_PRIVATE_SOURCES: 'yes',
    CATALOGUE: folder,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
  };
  await writeFile(join(folder, 'brands.yaml'), BRANDS);
  await writeFile(settings.ROSTER, outlets.roster());
  const configuration = readConfiguration(settings);
  const tracing = await openTracing('test', configuration, logger);
  const services: Services = tracing.over({
    configuration,
    logger,
    database,
    databaseUrl: url,
    store,
    topics,
    dataDir: null,
    now: () => new Date(),
    close: async () => undefined,
  });
  const models = readModels({ baseUrl: configuration.BASE_URL }).filter(({ name }) => MODELS.includes(name));
  const project: Part = (signal) => runProjector({ ...services, database, models, signal });
  const parts = [project, await understandPart(services), matchPart(services), analysePart(services)];
  running = parts.map((part) => part(stopping.signal));
  // A read model that is being built takes what it finds as history, and history is not traced.
  await eventually(async () => {
    for (const { name, version } of models) expect((await liveBuild(database, name))?.version).toBe(version);
  });
  outlets.publish('paper', {
    guid: 'plan',
    title: 'Zudio to open 30 stores in Karnataka by March 2027',
    published: new Date(),
    summary: 'Zudio, the fashion chain of Trent, will open 30 new stores in Karnataka, the company said.',
  });
  const poller = startClarity(['poll'], settings);
  await eventually(async () => {
    expect(poller.process.exitCode, poller.output()).toBeNull();
    const { events } = await store.readAll({ after: 0n, prefixes: ['signal-'] });
    expect(events.map(({ type }) => type)).toEqual(['SignalDetected', 'SignalAnalysed']);
    const head = await store.head();
    for (const model of ['brands', 'moves', 'signals'])
      expect(await waitForPosition(database, model, head, 0)).toBe(true);
    expect(await pollState(database, sourceId('paper'))).not.toBeNull();
  });
  stopping.abort();
  expect(await poller.stop()).toBe(0);
  await Promise.all(running);
  await tracing.close();
});
afterAll(async () => {
  stopping.abort();
  await Promise.allSettled(running);
  await outlets.close();
  await collector.close();
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

const named = (name: string): CollectedSpan => {
  const span = collector.spans.find((one) => one.name === name);
  if (!span) throw new Error(`there is no span ${name}`);
  return span;
};

describe('one item, from poll to page', () => {
  it('is one trace, whose tree follows the causes', () => {
    const { traceId } = named('poll');
    expect(treeOf(collector.spans.filter((span) => span.traceId === traceId))).toEqual([
      'poll',
      '  project source_health',
      '  publish ItemFound',
      '    understand',
      '      publish StoryUnderstood',
      '        match',
      '          append SignalDetected',
      '            analyse',
      '              append SignalAnalysed',
      '                project brands',
      '                project moves',
      '                project signals',
      '            project brands',
      '            project moves',
      '            project signals',
      '          append SlugReserved',
    ]);
  });

  it('has the correlation id of its events as its trace id, which logs and `clarity trace` show', async () => {
    const { events } = await engine.store.readAll({ after: 0n, prefixes: ['signal-'] });
    const [detected] = events;
    const { traceId, attributes } = named('append SignalDetected');
    expect(traceId).toBe(detected?.correlation_id.replaceAll('-', ''));
    expect(attributes).toEqual({
      'clarity.event.id': detected?.id,
      'clarity.event.type': 'SignalDetected',
      'clarity.signal.id': detected?.stream.slice('signal-'.length),
    });
  });

  it('has the time of each step, and the result of the poll', () => {
    for (const { startTimeUnixNano: from, endTimeUnixNano: to } of collector.spans) expect(to >= from).toBe(true);
    const starts = ['publish ItemFound', 'understand', 'publish StoryUnderstood', 'match', 'append SignalDetected'].map(
      (name) => named(name).startTimeUnixNano,
    );
    // The wall clock, by which processes agree, counts whole milliseconds.
    for (const [index, start] of starts.entries())
      expect(start - (starts[index - 1] ?? start)).toBeGreaterThan(-2_000_000n);
    expect(named('poll').attributes).toMatchObject({ 'clarity.source.id': 'paper', 'clarity.poll.outcome': 'changed' });
    expect(named('understand').attributes['clarity.outcome']).toBe('story');
    expect(new Set(collector.spans.map(({ service }) => service))).toEqual(new Set(['clarity-poll', 'clarity-test']));
  });

  it('has ids and times, and no text of a source', () => {
    for (const word of ['Zudio', 'Karnataka', 'fashion', outlets.url, 'papers.example'])
      expect(collector.bodies.join('')).not.toContain(word);
  });
});
