/** get_group: one group of businesses in a results season. */

import { z } from 'zod';
import { formatDay, istDay } from '../../language/days.ts';
import { readQuarter } from '../../language/fiscal.ts';
import { renderStandaloneChart } from '../../presentation/growth-chart.ts';
import { linkBrands } from '../../presentation/public-records.ts';
import { groupSeason } from '../../projector/models/group-season-queries.ts';
import { quoted } from '../../schemas/input-errors.ts';
import { GroupAnswer, type GroupSeason, type KeyNumber, type Quarter } from '../../schemas/moves-by-kind.ts';
import type { SignalItem } from '../../schemas/resources.ts';
import { NoticeField, noticeField, readStored, resolveFinding, ToolRefusal, tool } from '../tool.ts';
import { citation, paragraphs, plainLine, QUOTE_NOTICE, quote, signalList } from '../tool-text.ts';

const MAX_NOT_YET = 12;

const growthOf = (growth: number): string => `${growth > 0 ? '+' : ''}${growth}%`;

/** The value and its growth, each only where a report states it. */
function valueText({ value, growth_pct, growth_signal }: KeyNumber): string {
  const growth = growth_pct === null ? null : `${growthOf(growth_pct)} on the year`;
  const from = growth_signal ? `, by ${growth_signal.url}` : '';
  if (value === null) return growth ? `${growth}, amount not reported` : 'reported without an amount';
  return `${quote(value, 80)}${growth ? ` (${growth}${from})` : ''}`;
}

const numberLine = ({ company, metric, ...number }: KeyNumber): string =>
  `- ${plainLine(company, 80)}, ${plainLine(metric, 40)}: ${valueText({ company, metric, ...number })}. ${citation(number)}`;

const watchLine = ({ text, signal, outlet, source_url, published_at }: GroupSeason['what_to_watch'][number]): string =>
  `- ${quote(text, 400)}${signal && published_at ? ` ${citation({ signal, outlet, source_url, published_at })}` : ''}`;

/** How many companies have reported the quarter; before its end none can have. */
const reportingStatus = ({ season, quarter_since, quarter_until, quarter_status }: GroupSeason): string => {
  if (quarter_status === 'not_begun')
    return `the quarter has not begun: it runs from ${formatDay(quarter_since)} to ${formatDay(quarter_until)}, so no company can have reported it. Omit quarter for the latest reported one`;
  const reported = `${season.reported} of ${season.expected} companies have reported`;
  return quarter_status === 'running' ? `the quarter ends on ${formatDay(quarter_until)}; ${reported}` : reported;
};

function seasonText(answer: GroupSeason): string {
  const { group, quarter, quarter_status, season, key_numbers, moves, moves_total, what_to_watch } = answer;
  const missing = season.not_yet.slice(0, MAX_NOT_YET).map(({ name }) => name);
  const more = season.not_yet.length - missing.length;
  return paragraphs(
    `${plainLine(group.name, 80)}, ${quarter}: ${reportingStatus(answer)}. ${QUOTE_NOTICE}\nPage: ${group.url}`,
    quarter_status === 'ended' &&
      missing.length > 0 &&
      `Not yet: ${plainLine(missing.join(', '), 800)}${more > 0 ? ` and ${more} more` : ''}.`,
    key_numbers.length > 0 && `Key numbers:\n${key_numbers.map(numberLine).join('\n')}`,
    what_to_watch.length > 0 && `What to watch:\n${what_to_watch.map(watchLine).join('\n')}`,
    moves.length > 0 && `Latest moves, newest first:\n${signalList(moves)}`,
    moves_total > moves.length &&
      `${moves.length} of ${moves_total} moves of the last 90 days listed. More: call latest_moves with brand set to a company of the group and since.`,
  );
}

const QUARTER = 'a quarter of the Indian fiscal year such as "Q2 FY27"; default: the latest reported';

/** Parses a quarter as people write it: `q2fy27`, `Q2 2026-27`, `September quarter`. @throws ToolRefusal */
function parseQuarter(text: string | undefined, now: Date): Quarter | undefined {
  if (text === undefined) return undefined;
  const quarter = readQuarter(text, istDay(now));
  if (quarter === null) throw new ToolRefusal(`The argument quarter cannot be ${quoted(text)}: ${QUARTER}.`);
  return quarter;
}

export const getGroup = tool({
  name: 'get_group',
  title: 'Group in a results season',
  description:
    'One group of listed businesses (value fashion, jewellery, quick-service restaurants, FMCG …) in a quarter: how many reported and who did not yet, revenue growth as a chart in HTML, key numbers, latest moves, what to watch. Use it for "how was Q2 for jewellers", "results season so far".',
  input: z.strictObject({
    group: z.string().min(1).max(120).describe('a group by name, alias or slug, such as "QSR" or "jewellery"'),
    quarter: z.string().max(40).optional().describe(QUARTER),
  }),
  output: GroupAnswer.extend(NoticeField),
  icon: '<path d="M4 20V6M4 20h16M8 16l4-5 3 3 5-7"/>',
  async run(call) {
    const { args, database, gazetteer, baseUrl, now } = call;
    const quarter = parseQuarter(args.quarter, now());
    const all = gazetteer.groups.map(({ name }) => name);
    const group = resolveFinding(call, 'group', args.group, gazetteer.findGroup(args.group), all);
    const groupDocument = await groupSeason(database, { group, quarter }, { gazetteer, baseUrl, now: now() });
    const moves = await linkBrands(
      call,
      groupDocument.moves.map((move) => JSON.stringify(move)),
    );
    const season = { ...groupDocument, moves: moves.map((move) => readStored<SignalItem>(move)) };
    return {
      text: seasonText(season),
      structured: { ...season, chart_html: await renderStandaloneChart(season), ...noticeField },
    };
  },
});
