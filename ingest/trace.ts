/** Traces one item from poll to signal, starting from any of its events. */
import { type EventStore, pagesOf } from '../log/event-store.ts';
import { readTopic, type Topics } from '../log/topic.ts';
import type { Event } from '../schemas/events.ts';
import { ITEMS } from '../schemas/poll.ts';
import { SIGNAL_PREFIX, signalOfStream, signalStream } from '../schemas/signal.ts';
import { STORIES } from '../schemas/story.ts';
import { canonicalUrl } from './poll/normalise/read-items.ts';
import { causesIn, said, signalIdOf } from './review-signals.ts';

export interface Step {
  readonly time: string;
  readonly type: string;
  readonly id: string;
  readonly causation_id: string | null;
  readonly correlation_id: string;
  /** The signal to which it belongs; null before there is one. */
  readonly signal_id: string | null;
  /** The text of the source, for an item, a story or a poll. */
  readonly about: string | null;
}

interface TraceOptions {
  readonly store: EventStore;
  readonly topics: Topics;
  /** A new consumer group. */
  readonly group: string;
  readonly signal: AbortSignal;
}

/** The start of a trace. */
export type Beginning =
  | { readonly kind: 'event' | 'url'; readonly value: string }
  | { readonly kind: 'signal'; readonly value: string };

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Parses the start of a trace: an event's or correlation's id, a URL, a signal's id or slug. */
export function parseBeginning(text: string): Beginning {
  if (UUID.test(text)) return { kind: 'event', value: text.toLowerCase() };
  const url = /^https?:\/\//i.test(text) ? canonicalUrl(text) : null;
  return url ? { kind: 'url', value: url } : { kind: 'signal', value: text };
}

/** The URL of an item, even of one that no schema accepts any more: a trace shows that one too. */
function addressOf({ type, data }: Event): string | null {
  const item = type === 'ItemFound' ? data : type === 'StoryUnderstood' ? (data as { item?: unknown }).item : null;
  const url = (item as { url?: unknown } | null)?.url;
  return typeof url === 'string' ? url : null;
}

interface Found {
  readonly events: Map<string, Event>;
  /** By event. */
  readonly signals: Map<string, string>;
}

/** Finds the start and everything that follows from it: reads the topics and the store once, in the order of causes. */
async function findDownstream(beginning: Beginning, { store, topics, group, signal }: TraceOptions): Promise<Found> {
  const result: Found = { events: new Map(), signals: new Map() };
  const { kind, value } = beginning;
  const belongs = (event: Event): boolean =>
    (kind === 'event' && (event.id === value || event.correlation_id === value)) ||
    (kind === 'url' && addressOf(event) === value) ||
    (event.causation_id !== null && result.events.has(event.causation_id));
  for (const name of [ITEMS, STORIES])
    await readTopic(topics.topic(name), {
      group: `${group}-${name}`,
      signal,
      take: (events) => {
        for (const event of events) if (belongs(event)) result.events.set(event.id, event);
      },
    });
  for await (const page of pagesOf(store, { after: 0n, prefixes: [SIGNAL_PREFIX] })) {
    signal.throwIfAborted();
    for (const { stream, revision: _, position: __, ...event } of page.events)
      if (belongs(event)) {
        result.events.set(event.id, event);
        result.signals.set(event.id, signalOfStream(stream));
      }
  }
  return result;
}

async function eventsOfSignal(idOrSlug: string, { store }: TraceOptions): Promise<Found> {
  const id = await signalIdOf(store, idOrSlug);
  const stored = await store.read(signalStream(id));
  const events = stored.map(({ stream: _, revision: __, position: ___, ...event }) => [event.id, event] as const);
  return { events: new Map(events), signals: new Map(events.map(([event]) => [event, id])) };
}

/**
 * Traces every event that led to the start or follows from it, in the order of causes.
 * @returns empty when neither the topics nor the store have such an event
 * @throws NoSuchSignal for an unknown slug; the reason of `signal` when it aborts
 */
export async function traceItem(beginning: Beginning, options: TraceOptions): Promise<Step[]> {
  const result =
    beginning.kind === 'signal'
      ? await eventsOfSignal(beginning.value, options)
      : await findDownstream(beginning, options);
  const causes = causesIn(options.topics, options.signal);
  for (const [id, event] of result.events) causes.known.set(id, event);
  if (beginning.kind === 'event') await causes.find([beginning.value]);
  // Story, item, poll: three steps at most lead out of the store.
  for (let step = 0; step < 3; step++)
    await causes.find(
      [...causes.known.values()].flatMap(({ causation_id, correlation_id }) =>
        [causation_id ?? [], correlation_id].flat(),
      ),
    );
  return [...causes.known.values()]
    .map((event) => stepOf(event, result.signals.get(event.id) ?? null))
    .toSorted(byStage);
}

const stepOf = (event: Event, signal_id: string | null): Step => {
  const { time, type, id, causation_id, correlation_id } = event;
  return { time, type, id, causation_id, correlation_id, signal_id, about: said(event) };
};

/** By stage first: an item has the time of its poll and a story that of its item. */
const STAGES = ['PollCompleted', 'ItemFound', 'StoryUnderstood'];

function byStage(a: Step, b: Step): number {
  const stage = ({ type }: Step): number => (STAGES.includes(type) ? STAGES.indexOf(type) : STAGES.length);
  return stage(a) - stage(b) || a.time.localeCompare(b.time);
}
