/** get_group: one group of businesses in a results season. */
import { z } from 'zod';
import { groupSeason } from '../../projector/models/results/season.ts';
import { GroupAnswer, type GroupSeason, type KeyNumber, Quarter } from '../../schemas/group.ts';
import { standaloneChart } from '../../web/parts/growth-chart.ts';
import { unknownName } from '../names.ts';
import { Noticed, noticed } from '../output.ts';
import { NOTICE, plainLine, quote } from '../text/quote.ts';
import { citeLine, paragraphs, signalList } from '../text/signal-lines.ts';
import { tool } from '../tool.ts';

const NOT_YET_NAMED = 12;

const growthOf = (growth: number): string => `${growth > 0 ? '+' : ''}${growth}%`;

const numberLine = ({ company, metric, value, growth_pct, signal }: KeyNumber): string =>
  `- ${plainLine(company, 80)}, ${plainLine(metric, 40)}: ${value === null ? 'no figure told' : quote(value, 80)}${growth_pct === null ? '' : ` (${growthOf(growth_pct)} on the year)`}. ${citeLine(signal)}`;

function seasonText({ group, quarter, season, key_numbers, moves, what_to_watch }: GroupSeason): string {
  const missing = season.not_yet.slice(0, NOT_YET_NAMED).map(({ name }) => name);
  const more = season.not_yet.length - missing.length;
  return paragraphs(
    `${plainLine(group.name, 80)}, ${quarter}: ${season.reported} of ${season.expected} companies have reported. ${NOTICE}\nPage: ${group.url}`,
    missing.length > 0 && `Not yet: ${plainLine(missing.join(', '), 800)}${more > 0 ? ` and ${more} more` : ''}.`,
    key_numbers.length > 0 && `Key numbers:\n${key_numbers.map(numberLine).join('\n')}`,
    what_to_watch.length > 0 &&
      `What to watch:\n${what_to_watch.map(({ text, signal }) => `- ${quote(text, 400)}${signal ? ` ${citeLine(signal)}` : ''}`).join('\n')}`,
    moves.length > 0 && `Latest moves, newest first:\n${signalList(moves)}`,
  );
}

export const getGroup = tool({
  name: 'get_group',
  title: 'Group in a results season',
  description:
    'One group of listed businesses (value fashion, jewellery, quick-service restaurants, FMCG …) in a quarter: how many reported and who did not yet, revenue growth as a chart in HTML, key numbers, latest moves, what to watch. Use it for "how was Q2 for jewellers", "results season so far".',
  input: z.strictObject({
    group: z.string().min(1).max(120).describe('a group by name, alias or slug, such as "QSR" or "jewellery"'),
    quarter: Quarter.optional().describe(
      'a quarter of the Indian fiscal year such as "Q2 FY27"; the latest reported unless set',
    ),
  }),
  output: GroupAnswer.extend(Noticed),
  icon: '<path d="M4 20V6M4 20h16M8 16l4-5 3 3 5-7"/>',
  async run(call) {
    const { args, database, gazetteer, baseUrl, now } = call;
    const { found, nearest } = gazetteer.findGroup(args.group);
    if (!found)
      throw unknownName('group', args.group, nearest.length > 0 ? nearest : gazetteer.groups.map(({ name }) => name));
    const season = await groupSeason(
      database,
      { group: found, quarter: args.quarter },
      { gazetteer, baseUrl, now: now() },
    );
    return {
      text: seasonText(season),
      structured: { ...season, chart_html: await standaloneChart(season), ...noticed },
    };
  },
});
