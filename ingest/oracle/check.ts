/** Matches one reference item with the signals, as if it were a story: it makes none. */
import type { Item } from '../../schemas/item.ts';
import type { NearSignal } from '../match/match.ts';
import { likeness, THRESHOLD } from '../match/score.ts';
import type { Tracker } from '../match/tracker.ts';
import type { PreparedCatalogue } from '../understand/catalogue.ts';
import { UNDERSTAND_VERSION, understandItem } from '../understand/understand-item.ts';
import type { Check, Nearest } from './measure.ts';

interface Scored {
  readonly id: string;
  readonly score: number;
}

/**
 * Checks an item: relevant ones against the public signals.
 * @param tracker stands at the end of the store
 */
export async function checkItem(item: Item, catalogue: PreparedCatalogue, tracker: Tracker): Promise<Check> {
  const { relevant, understanding } = understandItem(item, catalogue);
  if (!relevant) return { outcome: 'left out' };
  const features = tracker.features({ item, understanding, understood_by: UNDERSTAND_VERSION });
  const known = await tracker.ofItem(item);
  const scored = (await tracker.near(features))
    .map((near): Scored => ({ id: near.id, score: bestOf(near, features) }))
    .sort((one, other) => other.score - one.score);
  const same = [...(known ? [known] : []), ...scored.filter(({ score }) => score >= THRESHOLD).map(({ id }) => id)];
  for (const id of same)
    if ((await tracker.state(tracker.window.resolve(id)))?.status === 'public') return { outcome: 'covered' };
  return { outcome: 'missed', headline: understanding.headline, nearest: nearestOf(scored) };
}

const bestOf = (near: NearSignal, features: Parameters<typeof likeness>[0]): number =>
  Math.max(0, ...near.tellings.map((telling) => likeness(telling, features).score));

function nearestOf([first]: readonly Scored[]): Nearest {
  return first && first.score > 0 ? { signal_id: first.id, score: Math.round(first.score * 1000) / 1000 } : null;
}
