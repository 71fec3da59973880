/** Puts a text into the hands of an outlet: house style, delay, guid and address. */
import { slugify } from '../../schemas/scalar.ts';
import { dateWords, HOUR, MINUTE, SECOND } from '../calendar.ts';
import { chance } from '../chance.ts';
import type { Voice } from '../outlet.ts';
import { outletById } from '../outlets.ts';
import { fill, headlineOf, summaryOf } from '../style.ts';
import type { Entry, EntryRole, Facts } from './happening.ts';

export interface Copy {
  readonly outlet: string;
  readonly headline: string;
  readonly summary: string | null;
}

/** Which prefix of the house a text gets. Money that is raised is announced louder than other deals. */
function occasionOf(facts: Facts | null, role: EntryRole, headline: string): keyof Voice['prefixes'] | null {
  if (role === 'correction') return 'correction';
  if (!facts || role === 'resurfaced') return null;
  return facts.move === 'deals' && /rais|fund|secure|bags|round|series/i.test(headline) ? 'funding' : facts.move;
}

/** Text as the outlet prints it on the day, before and after an edit. */
function printed(copy: Copy, at: Date, occasion: keyof Voice['prefixes'] | null) {
  const outlet = outletById.get(copy.outlet);
  if (!outlet) throw new Error(`no outlet is called ${copy.outlet}`);
  const words = dateWords(at);
  return {
    headline: headlineOf(fill(copy.headline, words), outlet, occasion),
    summary: summaryOf(copy.summary && fill(copy.summary, words), outlet),
  };
}

export function publish(
  copy: Copy,
  about: {
    key: string;
    role: EntryRole;
    facts: Facts | null;
    occurredAt: Date;
    publishedAt: Date;
    edit?: Copy & { at: Date };
  },
): Entry {
  const { key, role, facts, occurredAt, publishedAt, edit } = about;
  const text = printed(copy, occurredAt, occasionOf(facts, role, copy.headline));
  return {
    outlet: copy.outlet,
    key,
    guid: `demo:${copy.outlet}:${key}`,
    path: `/${copy.outlet}/news/${key}/${slugify(text.headline)}`,
    role,
    ...text,
    publishedAt,
    ...(edit && { edit: { at: edit.at, ...printed(edit, occurredAt, 'edited') } }),
  };
}

/**
 * How long an outlet takes: the first to tell 3 to 45 minutes, the others 20 minutes to 2 days, most of them less than
 * one. Milliseconds, in whole seconds because feeds know no smaller unit.
 */
export function delayOf(key: string, outlet: string, rank: number): number {
  const lot = chance('delay', key, outlet);
  const delay = rank === 0 ? 3 * MINUTE + lot * 42 * MINUTE : 20 * MINUTE + lot ** 2 * 47 * HOUR;
  return Math.round(delay / SECOND) * SECOND;
}
