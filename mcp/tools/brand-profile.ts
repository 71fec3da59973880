/**
 * brand_profile: one brand's last 30 days against the 30 before, by kind, with its latest moves. compare_brands:
 * several brands side by side (Competitor Watch).
 */

import { z } from 'zod';
import { DAY } from '../../language/days.ts';
import { formatCount } from '../../language/prose.ts';
import { findPublicBrand } from '../../presentation/public-records.ts';
import { competitorWatch, countMoves } from '../../projector/models/brands-queries.ts';
import { countsByMove } from '../../projector/models/query-parts.ts';
import {
  Brand,
  BrandAnswer,
  FREE_WATCH,
  MoveWindow,
  reportedAt,
  type SignalItem,
  WATCH_BRANDS,
  WATCH_DAYS,
  Watch,
  type WatchedBrand,
} from '../../schemas/resources.ts';
import { MOVES, MoveCounts } from '../../schemas/scalar.ts';
import { NoticeField, noticeField, readStored, resolveBrand, resolveBrands, ToolRefusal, tool } from '../tool.ts';
import {
  citeLine,
  firstNames,
  istTime,
  paragraphs,
  plainLine,
  QUOTE_NOTICE,
  quote,
  signalList,
  sourceLine,
} from '../tool-text.ts';

const DAYS = 30;

const Compared = MoveWindow.extend({ prior_total: z.int().nonnegative(), prior_by_move: MoveCounts });
type Compared = z.infer<typeof Compared>;

/** `stores 3 (1), deals 1 (0)`: counts now and, in brackets, in the window before. Kinds without any are left out. */
const kindsLine = (now: MoveCounts, before: MoveCounts): string =>
  MOVES.filter((move) => now[move] + before[move] > 0)
    .map((move) => `${move} ${now[move]} (${before[move]})`)
    .join(', ');

function profileText(brand: Brand, window: Compared, latest: readonly SignalItem[]): string {
  const { name, url, stories, stories_about, themes, related_brands, top_outlets, last_seen_at } = brand;
  const names = (title: string, list: readonly string[]): string | false =>
    list.length > 0 && `${title}: ${quote(list.slice(0, 6).join(', '), 400)}`;
  const { total, prior_total, by_move, prior_by_move } = window;
  return paragraphs(
    `${plainLine(name, 120)}: ${formatCount(total, 'story', 'stories')} about it in the last ${DAYS} days, ${prior_total} in the ${DAYS} before.`,
    total + prior_total > 0 && `By kind, now and (before): ${kindsLine(by_move, prior_by_move)}.`,
    `In all ${formatCount(stories_about, 'story', 'stories')} about it and ${stories - stories_about} that mention it${last_seen_at ? `, the last one ${istTime(last_seen_at)}` : ''}.\nPage: ${url}`,
    names(
      'Themes',
      themes.map((theme) => theme.name),
    ),
    names(
      'Named together with',
      related_brands.map((related) => related.name),
    ),
    names(
      'Reported most by',
      top_outlets.map(({ outlet }) => outlet),
    ),
    latest.length > 0 && `Latest moves, newest first. ${QUOTE_NOTICE}\n${signalList(latest)}`,
  );
}

export const brandProfile = tool({
  name: 'brand_profile',
  title: 'Brand profile',
  description:
    'One brand\'s activity: stories about it in the last 30 days against the 30 before, by kind of move, its themes, the brands it is named with, and its 10 latest moves with pages to cite. Use it for "how active is BRAND", "what is BRAND up to". For several brands side by side use compare_brands.',
  input: z.strictObject({
    brand: z.string().min(1).max(120).describe('a brand by name, alias or slug, such as "Zudio" or "reliance-retail"'),
  }),
  output: z.object({
    brand: Brand.extend({ last_30_days: Compared }),
    latest: BrandAnswer.shape.latest,
    ...NoticeField,
  }),
  icon: '<path d="M4 20V10M10 20V4M16 20v-7M21 20H3"/>',
  async run(call) {
    const { args, database, directory, baseUrl } = call;
    const { slug } = await resolveBrand(call, args.brand);
    const now = call.now();
    const located = await findPublicBrand(
      { database, directory, baseUrl, now: () => now },
      directory.currentSlug(slug),
    );
    if ('redirect' in located) throw new Error(`${slug} leads to ${located.redirect}, which was resolved before`);
    const { brand, latest } = located;
    const since = new Date(now.getTime() - DAYS * DAY);
    const before = new Date(since.getTime() - DAYS * DAY);
    const prior = await countMoves(database, directory.slugsOf(brand.slug), before, since);
    const window: Compared = {
      ...(brand.last_30_days ?? nothingIn(since, now)),
      prior_total: prior.reduce((sum, { stories }) => sum + stories, 0),
      prior_by_move: countsByMove(prior),
    };
    const signals = latest.map((document) => readStored<SignalItem>(document));
    return {
      text: profileText(brand, window, signals),
      structured: { brand: { ...brand, last_30_days: window }, latest: signals, ...noticeField },
    };
  },
});

const nothingIn = (since: Date, until: Date): MoveWindow => ({
  since: since.toISOString(),
  until: until.toISOString(),
  total: 0,
  by_move: countsByMove([]),
});

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
        `   - ${quote(signal.headline)} ${sourceLine({ source: signal.source, outlets: 1 })}, ${istTime(reportedAt(signal))}. ${citeLine(signal)}`,
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
      .describe(`${MIN_BRANDS} to ${WATCH_BRANDS} brands by name or slug`),
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
    const resolved = await resolveBrands(call, args.brands);
    if (resolved.length < MIN_BRANDS)
      throw new ToolRefusal(
        `All these names are one brand: ${plainLine(resolved[0]?.name ?? '', 80)}. Name another brand to compare it with.`,
      );
    const brands = resolved.map(({ slug, name }) => ({ slug, name, slugs: directory.slugsOf(slug) }));
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
