/** brand_profile: one brand's last 30 days against the 30 before, by kind, with its latest moves. */
import { z } from 'zod';
import { findPublicBrand } from '../../presentation/public-records.ts';
import { formatCount } from '../../presentation/text.ts';
import { countMoves } from '../../projector/models/brands-queries.ts';
import { countsByMove } from '../../projector/models/query-parts.ts';
import { Brand, BrandAnswer, MoveWindow } from '../../schemas/brand.ts';
import type { SignalItem } from '../../schemas/resources.ts';
import { MOVES, MoveCounts } from '../../schemas/scalar.ts';
import { resolveBrand } from '../name-resolution.ts';
import { NoticeField, noticeField, readStored, tool } from '../tool.ts';
import { istTime, paragraphs, plainLine, QUOTE_NOTICE, quote, signalList } from '../tool-text.ts';

const DAYS = 30;
const DAY = 86_400_000;

const Compared = MoveWindow.extend({ prior_total: z.int().nonnegative(), prior_by_move: MoveCounts });
type Compared = z.infer<typeof Compared>;

/** `stores 3 (1), deals 1 (0)`: counts now and, in brackets, in the window before. Kinds without any are left out. */
export const kindsLine = (now: MoveCounts, before: MoveCounts): string =>
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
    const found = await findPublicBrand({ database, directory, baseUrl, now: () => now }, directory.currentSlug(slug));
    if ('redirect' in found) throw new Error(`${slug} leads to ${found.redirect}, which was resolved before`);
    const { brand, latest } = found;
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
