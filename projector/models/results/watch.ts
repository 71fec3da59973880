/** What to watch in a group: results that are due, stores to come, open seats, and what was said of its newest moves. */
import type { Queryable } from '../../../log/postgres/database.ts';
import type { Company, GroupSeason, Quarter } from '../../../schemas/group.ts';
import type { SignalDetail } from '../../../schemas/resources.ts';
import { istDay } from '../../ist-day.ts';
import { type About, type citationOf, windowOf } from '../about.ts';
import { seatsToWatch } from '../appointments/leadership.ts';
import { pitches } from '../openings/expansion.ts';
import { rowsOfExpanding } from '../openings/queries.ts';
import { dayName, listed } from '../wording.ts';

const DAYS = 90;
const EACH = 3;

export interface Watched {
  readonly quarter: Quarter;
  /** Slugs of all brands of the group. */
  readonly brands: readonly string[];
  /** Companies that report results. */
  readonly members: number;
  /** Companies that have not reported a quarter that has ended. */
  readonly due: readonly Company[];
  /** The group's newest moves. */
  readonly moves: readonly SignalDetail[];
}

/** Sentences made from counts and dates, and stored analyses, each with the signal that it stands on. */
export async function whatToWatch(
  database: Queryable,
  { quarter, brands, members, due, moves }: Watched,
  about: About,
): Promise<GroupSeason['what_to_watch']> {
  const window = windowOf(about.now, DAYS);
  const [expanding, seats] = await Promise.all([
    rowsOfExpanding(database, { ...window, brands }, EACH * 2),
    seatsToWatch(database, { ...window, companies: brands }, about),
  ]);
  const today = istDay(about.now.getTime());
  const names = due.map(({ name }) => name);
  const reporting = `${due.length} of ${members} companies have not reported ${quarter} yet: ${listed(names, 5)}.`;
  const counted = [
    ...pitches(expanding, DAYS, about)
      .slice(0, EACH)
      .map(({ brand, why, ...cited }) => ({ text: `${brand}: ${why}`, ...citedBy(cited) })),
    ...seats.slice(0, EACH).map(({ company, role, vacant_since, ...cited }) => ({
      text: `${company}: its ${role} ${vacant_since > today ? 'leaves' : 'left'} on ${dayName(new Date(vacant_since))}; no successor is reported.`,
      ...citedBy(cited),
    })),
  ];
  const cited = new Set(counted.map(({ signal }) => signal.id));
  const analysed = moves
    .filter(({ id }) => !cited.has(id))
    .flatMap(({ what_to_watch: text, id, slug, url, headline, published_at, source }) =>
      text
        ? [
            {
              text,
              signal: { id, slug, url, headline, published_at },
              ...{ outlet: source.outlet, source_url: source.url, published_at },
            },
          ]
        : [],
    );
  const uncited = { signal: null, outlet: null, source_url: null, published_at: null };
  return [...(due.length > 0 ? [{ text: reporting, ...uncited }] : []), ...counted, ...analysed.slice(0, EACH)];
}

type Citation = ReturnType<typeof citationOf>;

/** What cites a row, without the rest of it. */
const citedBy = ({ signal, outlet, source_url, published_at }: Citation): Citation => ({
  signal,
  outlet,
  source_url,
  published_at,
});
