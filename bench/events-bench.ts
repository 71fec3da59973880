/**
 * How well signals keep events apart: signals that hold several events, and events that have several signals. Over a day of the live
 * desk of the demo newsroom, and over a week of it whose items all come within minutes, as at the first poll of many sources.
 */
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { publishTick, ticksBetween } from '../demo/live/live-desk.ts';
import { outletById } from '../demo/outlets.ts';
import type { Occurrence } from '../demo/publishing.ts';
import { loadCatalogue, prepareCatalogue } from '../facts/text/catalogue.ts';
import { handleStory } from '../ingest/match/handle-story.ts';
import { parentsIn } from '../ingest/match/report-features.ts';
import { Tracker } from '../ingest/match/signal-tracker.ts';
import { openUnderstander, storyOf, type Understander } from '../ingest/understand/understander.ts';
import { newEvent } from '../schemas/events.ts';
import type { Item, ItemKey } from '../schemas/poll.ts';
import { eventId, fingerprint, type SignalId } from '../schemas/scalar.ts';
import { SourceId } from '../schemas/source.ts';
import type { StoryEvent } from '../signal/report-decisions.ts';
import { memoryStore } from '../test/ingest/match/memory-store.ts';
import { type Bench, figureOf } from './bench.ts';

const DAY = 86_400_000;
const BEGIN = new Date('2026-07-01T00:00:00Z');
/** Within so many milliseconds the items of the week are found. */
const MINUTES = 20 * 60_000;
/** Percent of the signals of a day, and of its events: what was measured, and a tenth. */
const MOST_MIXED = 12;
const MOST_DUPLICATE = 3;

/** A story, and the event that it reports. */
interface KnownStory {
  readonly event: string;
  readonly story: StoryEvent;
}

/** The items of occurrences in order of time, as polls find them. */
const itemsOf = (occurrences: readonly Occurrence[]): { event: string; item: Item }[] =>
  occurrences
    .flatMap(({ event, entries }) => entries.map((entry) => ({ event, entry })))
    .filter(({ entry }) => entry.role !== 'oracle')
    .map(({ event, entry }) => {
      const outlet = outletById.get(entry.outlet);
      const published_at = entry.publishedAt.toISOString();
      const url = `https://${entry.outlet}.example${entry.path}`;
      const item: Item = {
        source_id: SourceId.parse(entry.outlet),
        outlet: outlet?.name ?? entry.outlet,
        role: 'news',
        authority: outlet?.authority ?? 0.5,
        item_key: url as ItemKey,
        url,
        title: entry.headline,
        summary: entry.summary,
        published_at,
        first_seen_at: published_at,
        fingerprint: fingerprint(entry.headline, entry.summary, published_at),
        language: 'en',
      };
      return { event, item };
    })
    .sort((one, other) => Date.parse(one.item.first_seen_at) - Date.parse(other.item.first_seen_at));

async function understood(understander: Understander, days: number): Promise<KnownStory[]> {
  const ticks = ticksBetween(BEGIN, new Date(BEGIN.getTime() + days * DAY));
  const stories: KnownStory[] = [];
  for (const { event, item } of itemsOf(ticks.map(publishTick))) {
    const verdict = await understander.understand(item);
    const found = newEvent('ItemFound', item, { id: eventId('item', item.url), time: item.first_seen_at });
    if (verdict.relevant) stories.push({ event, story: storyOf(found, verdict, understander) });
  }
  return stories;
}

/** The same stories, as if all were found within minutes. */
const withinMinutes = (stories: readonly KnownStory[]): KnownStory[] =>
  stories.map(({ event, story }, number) => {
    const at = new Date(BEGIN.getTime() + 7 * DAY + (number / stories.length) * MINUTES).toISOString();
    const item = { ...story.data.item, first_seen_at: at, published_at: at };
    return { event, story: { ...story, time: at, data: { ...story.data, item } } };
  });

export interface Kept {
  readonly signals: number;
  readonly events: number;
  /** Signals that hold reports of several events. */
  readonly mixed: number;
  /** Signals more than one of an event. */
  readonly duplicates: number;
  /** Reports of the largest signal. */
  readonly largest: number;
}

/** What became of events. @param signalOf each report: its event and its signal */
export function countKept(reports: readonly { readonly event: string; readonly signal: string }[]): Kept {
  const bySignal = Map.groupBy(reports, ({ signal }) => signal);
  const eventsOf = [...bySignal.values()].map((of) => new Set(of.map(({ event }) => event)).size);
  const byEvent = Map.groupBy(reports, ({ event }) => event);
  const signalsOf = [...byEvent.values()].map((of) => new Set(of.map(({ signal }) => signal)).size);
  return {
    signals: bySignal.size,
    events: byEvent.size,
    mixed: eventsOf.filter((events) => events > 1).length,
    duplicates: signalsOf.reduce((sum, signals) => sum + signals - 1, 0),
    largest: Math.max(0, ...[...bySignal.values()].map((of) => of.length)),
  };
}

/** Matches stories one after the other, in a store of their own. */
async function matched(stories: readonly KnownStory[], parentOf: ReturnType<typeof parentsIn>): Promise<Kept> {
  const store = memoryStore();
  let now = BEGIN;
  const tracker = new Tracker(store, pino({ level: 'silent' }), { parentOf, clock: () => now });
  const reports: { event: string; signal: SignalId }[] = [];
  for (const { event, story } of stories) {
    now = new Date(story.data.item.first_seen_at);
    reports.push({ event, signal: await handleStory(tracker, store, story) });
  }
  // Signals that were merged by then.
  return countKept(reports.map(({ event, signal }) => ({ event, signal: tracker.window.resolve(signal) })));
}

export const keptApart: Bench = {
  name: 'events',
  async run({ log }) {
    const path = fileURLToPath(new URL('../deploy/catalogue', import.meta.url));
    const catalogue = prepareCatalogue(await loadCatalogue(path));
    const understander = await openUnderstander(catalogue, console.warn);
    const parentOf = parentsIn(catalogue);
    log('understanding a week of the demo newsroom');
    const week = await understood(understander, 7);
    const end = BEGIN.getTime() + DAY;
    const day = week.filter(({ story }) => Date.parse(story.data.item.first_seen_at) < end);
    const figures = [];
    for (const [name, stories, most] of [
      ['a day', day, { mixed: MOST_MIXED, duplicates: MOST_DUPLICATE }],
      ['a week within minutes', withinMinutes(week), null],
    ] as const) {
      log(`matching ${stories.length} stories, ${name}`);
      const kept = await matched(stories, parentOf);
      const limit = (value: number | undefined) =>
        value === undefined ? null : ({ of: 'measured', at: 'most', value } as const);
      const about = `${name}, ${stories.length} stories`;
      figures.push(
        figureOf({
          figure: `signals of several events, ${about}`,
          unit: '% of signals',
          measured: (100 * kept.mixed) / kept.signals,
          limit: limit(most?.mixed),
        }),
        figureOf({
          figure: `duplicate signals, ${about}`,
          unit: '% of events',
          measured: (100 * kept.duplicates) / kept.events,
          limit: limit(most?.duplicates),
        }),
        figureOf({ figure: `reports of the largest signal, ${about}`, unit: '', measured: kept.largest }),
      );
    }
    return figures;
  },
};
