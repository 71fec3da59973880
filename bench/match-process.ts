/** The process that the bench of matching watches: stories matched, without a store, after a history of signals. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { match } from '../ingest/match/match-story.ts';
import { featuresOf } from '../ingest/match/report-features.ts';
import { openWindow } from '../ingest/match/signal-window.ts';
import { type Event, type KnownEvent, readEvent } from '../schemas/events.ts';
import type { Story } from '../schemas/story.ts';
import { signalHistory } from './generated-history.ts';

/** Before these as many others warm the compiler up. */
const STORIES = 4_000;
const [signals = '10000'] = process.argv.slice(2);
const count = Number(signals);

const isDetected = (event: KnownEvent): event is KnownEvent<'SignalDetected'> => event.type === 'SignalDetected';

/** The item and understanding that a signal was detected by. */
const storyOf = ({ data }: KnownEvent<'SignalDetected'>): Story => ({
  item: { ...data.report, role: 'news', language: 'en' },
  understanding: data.understanding,
  understood_by: data.understood_by,
});

function* detections(): Generator<KnownEvent<'SignalDetected'>> {
  for (const { event } of signalHistory(Number.MAX_SAFE_INTEGER)) {
    if ((event as Event).type !== 'SignalDetected') continue;
    const known = readEvent(event);
    if (isDetected(known)) yield known;
  }
}

const window = openWindow();
let position = 0n;
const stories: Story[] = [];
for (const event of detections()) {
  if (position < count) {
    window.fold(event, ++position);
    window.shrink(Number.POSITIVE_INFINITY);
  } else if (stories.push(storyOf(event)) >= 2 * STORIES) break;
}

const matched = (story: Story): string => {
  const features = featuresOf(story.item, story.understanding);
  return match(story, features, window.near(features)).kind;
};
for (let turn = 0; turn < 2; turn++) for (const story of stories.slice(0, STORIES)) matched(story);
const measured = stories.slice(STORIES);
const begun = process.cpuUsage();
const kinds: Record<string, number> = {};
for (const story of measured) {
  const kind = matched(story);
  kinds[kind] = (kinds[kind] ?? 0) + 1;
}
// Processor time, so that what else the machine does does not count.
const { user, system } = process.cpuUsage(begun);
// What the window holds, without the garbage that filling it with a million signals left behind.
setFlagsFromString('--expose-gc');
runInNewContext('gc')();
process.stdout.write(
  `${JSON.stringify({
    perSecond: (measured.length * 1e6) / (user + system),
    megabytes: process.memoryUsage().heapUsed / 2 ** 20,
    held: window.size,
    kinds,
  })}\n`,
);
