/** get_leadership_moves: who came, went and rose. */
import { z } from 'zod';
import { leadershipMoves } from '../../projector/models/appointments/leadership.ts';
import { Direction, LENSES, type LeadershipMove, LeadershipMoves, type VacantSeat } from '../../schemas/leadership.ts';
import type { ToolContext } from '../context.ts';
import { daysBack } from '../look-back.ts';
import { brandNamed, unknownName } from '../names.ts';
import { Noticed, noticed } from '../output.ts';
import { NOTICE, plainLine, quote } from '../text/quote.ts';
import { citeLine, paragraphs } from '../text/signal-lines.ts';
import { tool } from '../tool.ts';

function moveLine({ person, role, company, direction, from, to, effective, signal }: LeadershipMove): string {
  const way = [from && `from ${from}`, to && `to ${to}`].filter(Boolean).join(' ');
  const who = [person, role, company, way].filter(Boolean).join(', ');
  return `- ${quote(who, 300)}: ${direction}${effective ? `, effective ${effective}` : ''}. ${quote(signal.headline)} ${citeLine(signal)}`;
}

const seatLine = ({ company, role, person, vacant_since, signal }: VacantSeat): string =>
  `- ${quote(`${company}, ${role}`, 200)}: left by ${quote(person, 120)}, open since ${vacant_since}. ${citeLine(signal)}`;

/** A company that the catalogue lacks goes by the slug of its stories. @throws ToolRefusal offering the nearest names */
async function companyNamed(context: ToolContext, name: string | undefined) {
  if (name === undefined) return undefined;
  const { slug, name: own } = await brandNamed(context, name);
  return context.gazetteer.company(slug) ?? { slug, name: own, slugs: [slug] };
}

/** @throws ToolRefusal offering the nearest names */
function sectorNamed({ gazetteer }: ToolContext, name: string | undefined) {
  if (name === undefined) return undefined;
  const { found, nearest = [] } = gazetteer.findSector(name);
  if (!found) throw unknownName('sector', name, nearest);
  return found;
}

export const getLeadershipMoves = tool({
  name: 'get_leadership_moves',
  title: 'Leadership moves',
  description:
    'Who joined, left or was promoted in Indian retail: this week against the week before, a one-sentence reading, seats left and not filled since, and every move with its report; by company, sector, lens or role. Use it for "who is the new CEO of BRAND", "CMO moves this quarter", "open seats".',
  input: z.strictObject({
    company: z.string().max(120).optional().describe('a company by name or slug; its brands count too'),
    sector: z.string().max(120).optional().describe('a category or group such as "beauty" or "QSR"'),
    lens: z
      .enum(['all', ...LENSES])
      .optional()
      .describe(`what roles to read for: all, ${LENSES.join(', ')}`),
    role: z.string().max(80).optional().describe('a role as people write it, such as "CFO" or "marketing head"'),
    direction: Direction.optional().describe('joined, left or promoted'),
    days: daysBack,
  }),
  output: LeadershipMoves.extend(Noticed),
  icon: '<circle cx="9" cy="8" r="3.5"/><path d="M3 20c0-4 3-6 6-6s6 2 6 6M16 8h5M18.5 5.5v5"/>',
  async run(call) {
    const { args, database, gazetteer, baseUrl, now } = call;
    const { lens, role, direction, days } = args;
    const company = await companyNamed(call, args.company);
    const sector = sectorNamed(call, args.sector);
    const found = await leadershipMoves(
      database,
      { company, sector, lens, role, direction, days },
      { gazetteer, baseUrl, now: now() },
    );
    const about = [company?.name, sector?.name, lens === 'all' ? null : lens?.replaceAll('_', ' '), role, direction]
      .filter((part): part is string => typeof part === 'string')
      .map((part) => plainLine(part, 80));
    const { total, by_direction, week_count, prior_week_count, moves, seats_to_watch } = found;
    return {
      text: paragraphs(
        `Leadership moves of the last ${days} days${about.length > 0 ? ` (${about.join(', ')})` : ''}: ${total}; ${by_direction.joined} joined, ${by_direction.left} left, ${by_direction.promoted} promoted. This week ${week_count}, the week before ${prior_week_count}. ${NOTICE}`,
        `Reading: ${plainLine(found.reading, 400)}`,
        seats_to_watch.length > 0 && `Seats to watch:\n${seats_to_watch.map(seatLine).join('\n')}`,
        moves.length > 0 && `Moves, newest report first:\n${moves.map(moveLine).join('\n')}`,
      ),
      structured: { ...found, ...noticed },
    };
  },
});
