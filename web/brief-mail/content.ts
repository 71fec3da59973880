/** What stands in the brief of one subscriber. */
import { dailyBrief, MORNING_HOURS } from '../../api/daily-brief.ts';
import { accountFollows } from '../../api/follows/waiting.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import type { Subscriber } from '../../projector/models/brief-subscribers-queries.ts';
import type { Brief } from '../../schemas/brief.ts';
import type { Directory } from '../../schemas/directory.ts';

export interface BriefRecord {
  readonly database: Queryable;
  readonly directory: Directory;
}

/**
 * Makes what gives each subscriber's brief: that of the whole record is made once for all of them.
 * @param now the moment whose last 24 hours it tells
 */
export function briefsAt(
  record: BriefRecord,
  now: Date,
): (subscriber: Pick<Subscriber, 'account' | 'scope'>) => Promise<Brief> {
  let whole: Promise<Brief> | undefined;
  const about = (brands: readonly string[], themes: readonly string[]): Promise<Brief> =>
    dailyBrief(record, { brands, themes, match: 'either', hours: MORNING_HOURS, now, past: true });
  return async ({ account, scope }) => {
    const follows =
      scope === 'followed' ? (await accountFollows(record.database, record.directory, account)).active : [];
    const slugs = (type: 'brand' | 'theme'): string[] =>
      follows.filter((one) => one.type === type).map(({ slug }) => slug);
    const [brands, themes] = [slugs('brand'), slugs('theme')];
    if (brands.length + themes.length > 0) return about(brands, themes);
    // Who follows no brand and no theme yet, is told everything rather than nothing.
    whole ??= about([], []);
    return whole;
  };
}
