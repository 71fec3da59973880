/** daily_brief: the morning brief. */

import { z } from 'zod';
import { formatCount } from '../../language/prose.ts';
import { currentBrief } from '../../presentation/subscriptions.ts';
import { Brief, type BriefItem } from '../../schemas/subscriptions.ts';
import { NoticeField, noticeField, resolveBrands, resolveThemes, tool } from '../tool.ts';
import { citeLine, istTime, paragraphs, plainLine, QUOTE_NOTICE, quote, sourceLine } from '../tool-text.ts';

const MAX_NAMES = 50;

function itemText(item: BriefItem, index: number): string {
  const {
    headline,
    delta,
    brand,
    why_it_matters,
    what_to_watch,
    source,
    other_outlets,
    published_at,
    reported_at,
    url,
    id,
  } = item;
  const facts = [
    delta === null ? null : quote(delta, 120),
    brand === null ? null : quote(brand, 120),
    istTime(reported_at ?? published_at),
  ];
  return [
    `${index + 1}. ${quote(headline)}`,
    facts.filter((fact) => fact !== null).join(' · '),
    ...(why_it_matters === null ? [] : [`Why it matters: ${quote(why_it_matters, 500)}`]),
    ...(what_to_watch === null ? [] : [`What to watch: ${quote(what_to_watch, 500)}`]),
    sourceLine({ source, outlets: other_outlets + 1 }),
    citeLine({ url, id }),
  ].join('\n   ');
}

const names = z.array(z.string().min(1).max(120)).min(1).max(MAX_NAMES).optional();

export const dailyBrief = tool({
  name: 'daily_brief',
  title: 'Daily brief',
  description:
    'The morning brief, as in the 07:30 IST e-mail: at most 12 moves, ranked, each with why it matters, what to watch, a page to cite. For "brief me", "what matters today".',
  input: z.strictObject({
    brands: names.describe('only moves about these brands, by name or slug; up to 50'),
    themes: names.describe('only moves under these themes, by name or slug; up to 50'),
    hours: z.int().min(1).max(72).optional().describe('1 to 72: until now; default: as the e-mail'),
  }),
  // The text says when the hours end.
  output: Brief.omit({ until: true }).extend(NoticeField),
  icon: '<circle cx="12" cy="12" r="4"/><path d="M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2"/>',
  async run(call) {
    const { args, now } = call;
    const [brands, themes] = await Promise.all([
      resolveBrands(call, args.brands ?? []),
      resolveThemes(call, args.themes ?? []),
    ]);
    const {
      brief: { until, ...brief },
      isMorning,
    } = await currentBrief(call, {
      brands: brands.map(({ slug }) => slug),
      themes: themes.map(({ slug }) => slug),
      hours: args.hours,
      now: now(),
    });
    const narrowed = [...brands, ...themes].map(({ name }) => plainLine(name, 80)).join(', ');
    const { label, items, window_hours } = brief;
    const heading = `${label}${narrowed ? ` (${narrowed})` : ''}: ${formatCount(items.length, 'move')} of the ${formatCount(window_hours, 'hour')} until ${isMorning ? istTime(until) : 'now'}, those that matter most first.`;
    const help = args.hours === undefined ? 'Set hours, up to 72.' : 'Ask for more hours, up to 72.';
    return {
      text: paragraphs(
        items.length > 0 ? `${heading} ${QUOTE_NOTICE}` : `${heading} ${help}`,
        items.map(itemText).join('\n'),
      ),
      structured: { ...brief, ...noticeField },
    };
  },
});
