/** A group's results season: who reported what, who did not yet, what the group does besides, and what to watch. */
import type { Queryable } from '../../../log/postgres/database.ts';
import type { CatalogueGroup } from '../../../schemas/catalogue.ts';
import { quarterDays, quarterName, reportedQuarter } from '../../../schemas/fiscal.ts';
import type { KnownCompany } from '../../../schemas/gazetteer.ts';
import type { Company, GroupSeason, KeyNumber, Quarter } from '../../../schemas/group.ts';
import { SignalItem } from '../../../schemas/resources.ts';
import { istDay } from '../../ist-day.ts';
import { type About, citationOf, referenceOf, windowOf } from '../about.ts';
import { growthOf, inOrder } from './growth.ts';
import { countMovesAbout, figuresOf, latestQuarter, newestMoves, type ResultRow } from './queries.ts';
import { whatToWatch } from './watch.ts';

export interface GroupQuestion {
  readonly group: CatalogueGroup;
  /** The latest of which somebody reported when unset. */
  readonly quarter?: Quarter | undefined;
}

const MOVES = 10;
/** Days over which the moves of a group are counted. */
const MOVE_DAYS = 90;

/** The season of a group for a quarter. Its companies are those that report results. */
export async function groupSeason(database: Queryable, question: GroupQuestion, about: About): Promise<GroupSeason> {
  const { group } = question;
  const { gazetteer, baseUrl, now } = about;
  const members = group.members.flatMap((slug) => gazetteer.company(slug) ?? []);
  const companies = new Map(members.flatMap((member) => member.reporting.map((slug) => [slug, member] as const)));
  const slugs = [...companies.keys()];
  const today = istDay(now.getTime());
  const last = quarterName(reportedQuarter(today));
  const quarter = question.quarter ?? (await latestQuarter(database, slugs, last)) ?? last;
  const { since, until } = quarterDays(quarter);
  const status = today < since ? 'not_begun' : today <= until ? 'running' : 'ended';
  const brands = gazetteer.brandsOfGroup(group);
  const [figures, moves, moves_total] = await Promise.all([
    figuresOf(database, slugs, quarter),
    newestMoves(database, brands, MOVES),
    countMovesAbout(database, brands, windowOf(now, MOVE_DAYS).since),
  ]);
  const numbers = keyNumbers(figures, companies, about);
  const reported = new Set(numbers.map(({ company_slug }) => company_slug));
  const notYet = members.filter(({ slug }) => !reported.has(slug)).map((member) => pageOf(member, baseUrl));
  return {
    group: { name: group.name, slug: group.slug, url: `${baseUrl}/group/${group.slug}` },
    quarter,
    quarter_since: since,
    quarter_until: until,
    quarter_status: status,
    season: { reported: reported.size, expected: members.length, not_yet: notYet },
    growth: growthOf(numbers),
    key_numbers: numbers,
    moves: moves.map((move) => SignalItem.parse(move)),
    moves_total,
    what_to_watch: await whatToWatch(
      database,
      { quarter, brands, members: members.length, due: status === 'ended' ? notYet : [], moves },
      about,
    ),
  };
}

const pageOf = ({ name, slug }: KnownCompany, baseUrl: string): Company => ({
  name,
  slug,
  url: `${baseUrl}/brand/${slug}`,
});

/**
 * The figures under the names that companies have now: of each metric the newest value and the newest growth that any
 * report states, cited by their reports.
 * @param figures newest first
 */
function keyNumbers(
  figures: readonly ResultRow[],
  companies: ReadonlyMap<string, KnownCompany>,
  { baseUrl }: About,
): KeyNumber[] {
  const rows = Map.groupBy(figures, ({ company_slug, metric }) => `${companies.get(company_slug)?.slug} ${metric}`);
  const numbers = [...rows.values()].flatMap((of): KeyNumber[] => {
    const grown = of.find(({ growth_pct }) => growth_pct !== null);
    const main = of.find(({ value }) => value !== null) ?? grown ?? of[0];
    const company = main && companies.get(main.company_slug);
    if (!company) return [];
    const growth = main.growth_pct === null ? grown : main;
    return [
      {
        company: company.name,
        company_slug: company.slug,
        metric: main.metric,
        value: main.value,
        growth_pct: growth?.growth_pct ?? null,
        ...citationOf(main, baseUrl),
        growth_signal: growth && growth !== main ? referenceOf(growth, baseUrl) : null,
      },
    ];
  });
  return inOrder(numbers);
}
