/** A group's results season: who reported what, who did not yet, what the group does besides, and what to watch. */
import type { Queryable } from '../../../log/postgres/database.ts';
import type { CatalogueGroup } from '../../../schemas/catalogue.ts';
import { quarterName, reportedQuarter } from '../../../schemas/fiscal.ts';
import type { KnownCompany } from '../../../schemas/gazetteer.ts';
import type { Company, GroupSeason, KeyNumber, Quarter } from '../../../schemas/group.ts';
import { SignalItem } from '../../../schemas/resources.ts';
import { istDay } from '../../ist-day.ts';
import { type About, referenceOf } from '../about.ts';
import { growthOf, inOrder } from './growth.ts';
import { figuresOf, latestQuarter, newestMoves, type ResultRow } from './queries.ts';
import { whatToWatch } from './watch.ts';

export interface GroupQuestion {
  readonly group: CatalogueGroup;
  /** The latest of which somebody reported when unset. */
  readonly quarter?: Quarter | undefined;
}

const MOVES = 10;

/** The season of a group for a quarter. Its companies are those that report results. */
export async function groupSeason(database: Queryable, question: GroupQuestion, about: About): Promise<GroupSeason> {
  const { group } = question;
  const { gazetteer, baseUrl, now } = about;
  const members = group.members.flatMap((slug) => gazetteer.company(slug) ?? []);
  const companies = new Map(members.flatMap((member) => member.reporting.map((slug) => [slug, member] as const)));
  const slugs = [...companies.keys()];
  const last = quarterName(reportedQuarter(istDay(now.getTime())));
  const quarter = question.quarter ?? (await latestQuarter(database, slugs, last)) ?? last;
  const brands = gazetteer.brandsOfGroup(group);
  const [figures, moves] = await Promise.all([
    figuresOf(database, slugs, quarter),
    newestMoves(database, brands, MOVES),
  ]);
  const numbers = keyNumbers(figures, companies, about);
  const reported = new Set(numbers.map(({ company_slug }) => company_slug));
  const notYet = members.filter(({ slug }) => !reported.has(slug)).map((member) => pageOf(member, baseUrl));
  return {
    group: { name: group.name, slug: group.slug, url: `${baseUrl}/group/${group.slug}` },
    quarter,
    season: { reported: reported.size, expected: members.length, not_yet: notYet },
    growth: growthOf(numbers),
    key_numbers: numbers,
    moves: moves.map((move) => SignalItem.parse(move)),
    what_to_watch: await whatToWatch(database, { quarter, brands, members: members.length, notYet, moves }, about),
  };
}

const pageOf = ({ name, slug }: KnownCompany, baseUrl: string): Company => ({
  name,
  slug,
  url: `${baseUrl}/brand/${slug}`,
});

/** The figures under the names that companies have now; of two slugs of one company the newer report counts. */
function keyNumbers(
  figures: readonly ResultRow[],
  companies: ReadonlyMap<string, KnownCompany>,
  { baseUrl }: About,
): KeyNumber[] {
  const newest = new Map<string, KeyNumber>();
  for (const row of figures.toSorted((one, other) => other.published_at.getTime() - one.published_at.getTime())) {
    const company = companies.get(row.company_slug);
    if (!company || newest.has(`${company.slug} ${row.metric}`)) continue;
    newest.set(`${company.slug} ${row.metric}`, {
      company: company.name,
      company_slug: company.slug,
      metric: row.metric,
      value: row.value,
      growth_pct: row.growth_pct,
      signal: referenceOf(row, baseUrl),
    });
  }
  return inOrder([...newest.values()]);
}
