/** compare_brands: several brands side by side (Competitor Watch). */
import { z } from 'zod';
import { competitorWatch } from '../../projector/models/brands-queries.ts';
import { FREE_WATCH, WATCH_BRANDS, WATCH_DAYS, Watch, type WatchedBrand } from '../../schemas/brand.ts';
import { resolveBrands } from '../name-resolution.ts';
import { NoticeField, noticeField, ToolRefusal, tool } from '../tool.ts';
import { citeLine, firstNames, istTime, paragraphs, plainLine, QUOTE_NOTICE, quote, sourceLine } from '../tool-text.ts';
import { kindsLine } from './brand-profile.ts';

const MIN_BRANDS = 2;

/**
 * Checks that the plan allows the comparison.
 * @throws ToolRefusal with the call that needs no plan
 */
function checkPlan(plan: 'free' | 'pro', names: readonly string[], days: number, plans: string): void {
  const { brands: freeBrands, days: freeDays } = FREE_WATCH;
  if (plan === 'pro' || (names.length <= freeBrands && days <= freeDays)) return;
  const free = { brands: names.slice(0, freeBrands).map((name) => plainLine(name, 80)), days: freeDays };
  throw new ToolRefusal(
    `${names.length} brands over ${days} days need Pro. Free is a comparison of up to ${freeBrands} brands over ${freeDays} days: call compare_brands with ${JSON.stringify(free)}. brand_profile is free too and compares one brand's last 30 days with the 30 before. Pro (${plans}) compares up to ${WATCH_BRANDS} brands over ${WATCH_DAYS.join(', ')} days.`,
  );
}

/** Maximum cities named per brand. */
const MAX_CITIES = 8;

function brandText(
  { name, slug, url, total, prior_total, by_move, prior_by_move, cities, latest }: WatchedBrand,
  since: string,
): string {
  const kinds = kindsLine(by_move, prior_by_move);
  const more = total - latest.length;
  return [
    `${plainLine(name, 120)}: ${total} (${prior_total} before)${kinds ? `: ${kinds}` : ''}`,
    `   Page: ${url}`,
    ...(cities.length > 0 ? [`   Cities: ${plainLine(firstNames(cities, MAX_CITIES), 300)}`] : []),
    ...latest.map(
      (signal) =>
        `   - ${quote(signal.headline)} ${sourceLine({ source: signal.source, outlets: 1 })}, ${istTime(signal.published_at)}. ${citeLine(signal)}`,
    ),
    ...(more > 0 && latest.length > 0
      ? [`   ${latest.length} of ${total} listed. More: call latest_moves with brand "${slug}" and since "${since}".`]
      : []),
  ].join('\n');
}

export const compareBrands = tool({
  name: 'compare_brands',
  title: 'Compare brands',
  description: `Competitor Watch: ${MIN_BRANDS} to ${WATCH_BRANDS} brands side by side over ${WATCH_DAYS.join(', ')} days: stories about each by kind of move against the equal window before, cities, latest moves, and who was quiet. Use it for "A versus B" or "who is most active". Without Pro: up to ${FREE_WATCH.brands} brands over ${FREE_WATCH.days} days.`,
  input: z.strictObject({
    brands: z
      .array(z.string().min(1).max(120))
      .min(MIN_BRANDS)
      .max(WATCH_BRANDS)
      .describe(`${MIN_BRANDS} to ${WATCH_BRANDS} brands by name or slug, such as ["Zudio", "Westside"]`),
    days: z
      .literal([...WATCH_DAYS])
      .default(FREE_WATCH.days)
      .describe(`days to look back: ${WATCH_DAYS.join(', ')}; default ${FREE_WATCH.days}`),
  }),
  output: Watch.extend(NoticeField),
  icon: '<path d="M5 20V9M9 20V4M15 20v-6M19 20V11M3 20h18"/>',
  async run(call) {
    const { args, caller, database, directory, baseUrl, now } = call;
    checkPlan(caller.plan, args.brands, args.days, `${baseUrl}/plans`);
    const found = await resolveBrands(call, args.brands);
    if (found.length < MIN_BRANDS)
      throw new ToolRefusal(
        `All these names are one brand: ${plainLine(found[0]?.name ?? '', 80)}. Name another brand to compare it with.`,
      );
    const brands = found.map(({ slug, name }) => ({ slug, name, slugs: directory.slugsOf(slug) }));
    const watch = await competitorWatch(database, { brands, days: args.days, now: now(), baseUrl });
    const byTotal = watch.brands.toSorted((one, other) => other.total - one.total);
    const quiet = watch.brands.filter(({ slug }) => watch.quiet.includes(slug)).map(({ name }) => name);
    return {
      text: paragraphs(
        `Stories about each brand in the last ${args.days} days, in brackets the ${args.days} before, most first. ${QUOTE_NOTICE}`,
        byTotal.map((brand) => brandText(brand, watch.since)).join('\n'),
        quiet.length > 0 && `Quiet for ${2 * args.days} days: ${plainLine(quiet.join(', '), 600)}.`,
      ),
      structured: { ...watch, ...noticeField },
    };
  },
});
