/** get_leadership_moves: who joined, left or was promoted. */
import { z } from 'zod';
import { filterWords, leadershipMoves } from '../../projector/models/leadership-moves-queries.ts';
import {
  Direction,
  LENSES,
  type LeadershipMove,
  LeadershipMoves,
  type VacantSeat,
} from '../../schemas/moves-by-kind.ts';
import {
  cursorArgument,
  daysArgument,
  limitArgument,
  NoticeField,
  noticeField,
  refuseInvalidCursor,
  resolveBrand,
  resolveFinding,
  type ToolContext,
  tool,
} from '../tool.ts';
import { citation, citedRow, paragraphs, plainLine, QUOTE_NOTICE, quote, truncationLine } from '../tool-text.ts';

const NAME = 'get_leadership_moves';

function moveLine({ person, role, company, direction, from, to, effective, ...cited }: LeadershipMove): string {
  const way = [from && `from ${from}`, to && `to ${to}`].filter(Boolean).join(' ');
  const who = [person, role ?? 'role not reported', company, way].filter(Boolean).join(', ');
  return citedRow(`${quote(who, 300)}: ${direction}${effective ? `, effective ${effective}` : ''}`, cited);
}

const seatLine = ({ company, role, person, vacant_since, ...cited }: VacantSeat): string =>
  `- ${quote(`${company}, ${role}`, 200)}: left by ${quote(person, 120)}, open since ${vacant_since}. ${citation(cited)}`;

function movesText(result: LeadershipMoves, days: number, filters: string): string {
  const { total, by_direction, week_count, prior_week_count, moves, left_out, left_out_total, seats_to_watch } = result;
  const { joined, left, promoted } = by_direction;
  return paragraphs(
    `Leadership moves of the last ${days} days${filters && ` ${filters}`}: ${total}; ${joined} joined, ${left} left, ${promoted} promoted. This week ${week_count}, the week before ${prior_week_count}. ${QUOTE_NOTICE}`,
    `Reading: ${plainLine(result.reading, 400)}`,
    left_out.length > 0 &&
      `Left out by the filter, newest first (${left_out.length} of ${left_out_total}):\n${left_out.map(moveLine).join('\n')}`,
    total === 0 && left_out_total === 0 && 'Ask for more days (up to 365), another company or sector, or neither.',
    seats_to_watch.length > 0 && `Seats to watch:\n${seats_to_watch.map(seatLine).join('\n')}`,
    moves.length > 0 && `Moves, newest report first:\n${moves.map(moveLine).join('\n')}`,
    truncationLine(NAME, { shown: moves.length, total, next_cursor: result.next_cursor }, 'move'),
  );
}

/** Resolves a company; one that the catalogue lacks by the slug of its stories. @throws ToolRefusal offering the nearest names */
async function resolveCompany(context: ToolContext, name: string | undefined) {
  if (name === undefined) return undefined;
  const { slug, name: own } = await resolveBrand(context, name);
  return context.gazetteer.company(slug) ?? { slug, name: own, slugs: [slug] };
}

/** Resolves a category or a group. @throws ToolRefusal offering the nearest names */
const resolveSector = (context: ToolContext, name: string | undefined) =>
  name === undefined ? undefined : resolveFinding(context, 'sector', name, context.gazetteer.findSector(name));

export const getLeadershipMoves = tool({
  name: NAME,
  title: 'Leadership moves',
  description:
    'Who joined, left or was promoted in Indian retail: this week against the week before, seats left and not filled since, and every move with its report; by company, sector, lens or role. Use it for "who is the new CEO of BRAND", "CMO moves this quarter", "open seats".',
  input: z.strictObject({
    company: z.string().max(120).optional().describe('a company by name or slug; its brands count too'),
    sector: z.string().max(120).optional().describe('a category or group such as "beauty" or "QSR"'),
    lens: z
      .enum(['all', ...LENSES])
      .optional()
      .describe(`roles: all, ${LENSES.join(', ')}`),
    role: z.string().max(80).optional().describe('a role as people write it, such as "CFO" or "marketing head"'),
    direction: Direction.optional().describe('joined, left or promoted'),
    days: daysArgument,
    limit: limitArgument('moves', 50),
    cursor: cursorArgument,
  }),
  output: LeadershipMoves.extend(NoticeField),
  icon: '<circle cx="9" cy="8" r="3.5"/><path d="M3 20c0-4 3-6 6-6s6 2 6 6M16 8h5M18.5 5.5v5"/>',
  async run(call) {
    const { args, database, gazetteer, baseUrl, now } = call;
    const { lens, role, direction, days, limit, cursor } = args;
    const company = await resolveCompany(call, args.company);
    const sector = resolveSector(call, args.sector);
    const question = { company, sector, lens, role, direction, days, limit, cursor };
    const result = await leadershipMoves(database, question, { gazetteer, baseUrl, now: now() }).catch(
      refuseInvalidCursor(cursor),
    );
    const filters = filterWords({
      role,
      direction,
      company: company?.name,
      sector: sector?.name,
      lens: lens === 'all' ? undefined : lens,
    });
    return { text: movesText(result, days, plainLine(filters, 300)), structured: { ...result, ...noticeField } };
  },
});
