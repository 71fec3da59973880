/** compare_brands: Competitor Watch. */
import { z } from 'zod';
import { competitorWatch } from '../../projector/models/brands/watch-queries.ts';
import { FREE_WATCH, WATCH_BRANDS, WATCH_DAYS, Watch, type WatchedBrand } from '../../schemas/watch.ts';
import { brandsNamed } from '../names.ts';
import { Noticed, noticed } from '../output.ts';
import { NOTICE, plainLine, quote } from '../text/quote.ts';
import { citeLine, paragraphs } from '../text/signal-lines.ts';
import { ToolRefusal, tool } from '../tool.ts';
import { kindsLine } from './brand-profile.ts';

const FEWEST = 2;

/** What a plan without Pro may ask for. @throws ToolRefusal */
function checkPlan(plan: 'free' | 'pro', brands: number, days: number, plans: string): void {
  if (plan === 'pro' || (brands <= FREE_WATCH.brands && days <= FREE_WATCH.days)) return;
  throw new ToolRefusal(
    `Without Pro up to ${FREE_WATCH.brands} brands are compared over ${FREE_WATCH.days} days; ${brands} brands over ${days} days were asked for. Ask for less, or take Pro (${plans}) for up to ${WATCH_BRANDS} brands over ${WATCH_DAYS.join(', ')} days.`,
  );
}

function brandText({ name, url, total, prior_total, by_move, prior_by_move, cities, latest }: WatchedBrand): string {
  const kinds = kindsLine(by_move, prior_by_move);
  return [
    `${plainLine(name, 120)}: ${total} (${prior_total} before)${kinds ? `: ${kinds}` : ''}`,
    `   Page: ${url}`,
    ...(cities.length > 0 ? [`   Cities: ${plainLine(cities.slice(0, 8).join(', '), 300)}`] : []),
    ...latest.map((signal) => `   - ${quote(signal.headline)} ${citeLine(signal)}`),
  ].join('\n');
}

export const compareBrands = tool({
  name: 'compare_brands',
  title: 'Compare brands',
  description: `Competitor Watch: ${FEWEST} to ${WATCH_BRANDS} brands side by side over ${WATCH_DAYS.join(', ')} days: stories about each by kind of move against the equal window before, cities, latest moves, and who was quiet. Use it for "A versus B" or "who is most active". Without Pro: up to ${FREE_WATCH.brands} brands over ${FREE_WATCH.days} days.`,
  input: z.strictObject({
    brands: z
      .array(z.string().min(1).max(120))
      .min(FEWEST)
      .max(WATCH_BRANDS)
      .describe(`${FEWEST} to ${WATCH_BRANDS} brands by name or slug, such as ["Zudio", "Westside"]`),
    days: z
      .literal([...WATCH_DAYS])
      .default(FREE_WATCH.days)
      .describe(`days to look back: ${WATCH_DAYS.join(', ')}; ${FREE_WATCH.days} unless set`),
  }),
  output: Watch.extend(Noticed),
  icon: '<path d="M5 20V9M9 20V4M15 20v-6M19 20V11M3 20h18"/>',
  async run(call) {
    const { args, caller, database, directory, baseUrl, now } = call;
    checkPlan(caller.plan, args.brands.length, args.days, `${baseUrl}/plans`);
    const found = await brandsNamed(call, args.brands);
    if (found.length < FEWEST)
      throw new ToolRefusal(
        `All these names mean ${plainLine(found[0]?.name ?? 'one brand', 80)}. Name another brand to compare it with.`,
      );
    const brands = found.map(({ slug, name }) => ({ slug, name, slugs: directory.slugsOf(slug) }));
    const watch = await competitorWatch(database, { brands, days: args.days, now: now(), baseUrl });
    const most = watch.brands.toSorted((one, other) => other.total - one.total);
    const quiet = watch.brands.filter(({ slug }) => watch.quiet.includes(slug)).map(({ name }) => name);
    return {
      text: paragraphs(
        `Stories about each brand in the last ${args.days} days, in brackets the ${args.days} before, most first. ${NOTICE}`,
        most.map(brandText).join('\n'),
        quiet.length > 0 && `Quiet for ${2 * args.days} days: ${plainLine(quiet.join(', '), 600)}.`,
      ),
      structured: { ...watch, ...noticed },
    };
  },
});
