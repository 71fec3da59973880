/** latest_moves: the feed, newest first. */

import { z } from 'zod';
import { formatCount } from '../../language/prose.ts';
import { linkBrands, listSignalPage } from '../../presentation/public-records.ts';
import type { Entry } from '../../schemas/directory.ts';
import { Cursor, Moment } from '../../schemas/parameters.ts';
import { SignalItem, SignalPage } from '../../schemas/resources.ts';
import { MOVES, Move } from '../../schemas/scalar.ts';
import { NoticeField, noticeField, readStored, resolveBrand, resolveTheme, tool } from '../tool.ts';
import { istTime, paragraphs, plainLine, QUOTE_NOTICE, signalList } from '../tool-text.ts';

/** Suggests other arguments when nothing matches. */
function helpFor(filter: {
  readonly kind?: Move | undefined;
  readonly brand: Entry | null;
  readonly theme: Entry | null;
  readonly mentions?: boolean | undefined;
  readonly since?: string | undefined;
  readonly cursor?: string | undefined;
}): string {
  const { kind, brand, theme, mentions, since, cursor } = filter;
  if (cursor) return 'This is the end of the list.';
  const ways = [
    since && 'an earlier since',
    kind && 'no kind',
    brand && !mentions && 'mentions set to true',
    theme && 'no theme',
    brand && `the tool search with "${plainLine(brand.name, 80)}"`,
  ].filter(Boolean);
  return ways.length > 0 ? `Try ${ways.join(', or ')}.` : 'There are no moves yet.';
}

export const latestMoves = tool({
  name: 'latest_moves',
  title: 'Latest moves',
  description:
    'Newest moves in Indian retail and consumer business, each dated, with the outlet that reported it and a page to cite. Use it for "what is new", "what did BRAND do lately", or to page through one kind of move or theme. For a question in words use search; for counts over 30 days use brand_profile.',
  input: z.strictObject({
    brand: z.string().max(120).optional().describe('a brand by name or slug, such as "Zudio": moves about it'),
    theme: z.string().max(120).optional().describe('a theme by name or slug, such as "quick commerce"'),
    kind: Move.optional().describe(`one of ${MOVES.join(', ')}`),
    mentions: z.boolean().optional().describe('true: also moves that only mention the brand'),
    since: Moment.optional().describe('published since: an ISO 8601 date (IST) or time, such as 2026-11-20'),
    limit: z.int().min(1).max(50).default(10).describe('how many, 1 to 50; default 10'),
    cursor: Cursor.optional().describe('next_cursor of the page before'),
  }),
  output: SignalPage.extend({ signals: z.array(SignalItem), ...NoticeField }),
  icon: '<path d="M4 6h16M4 12h16M4 18h10"/>',
  async run(call) {
    const { args, directory } = call;
    const brand = args.brand === undefined ? null : await resolveBrand(call, args.brand);
    const theme = args.theme === undefined ? null : await resolveTheme(call, args.theme);
    const { kind, mentions, since, limit, cursor } = args;
    const { documents, next_cursor } = await listSignalPage(call.search, {
      since,
      limit,
      cursor,
      about: mentions !== true,
      only: {
        ...(kind && { kind: [kind] }),
        ...(brand && { brand: directory.slugsOf(brand.slug) }),
        ...(theme && { theme: [theme.slug] }),
      },
    });
    const signals = (await linkBrands(call, documents)).map((document) => readStored<SignalItem>(document));
    const filters = [
      kind,
      brand && `${mentions ? 'naming' : 'about'} ${plainLine(brand.name, 80)}`,
      theme && `under ${plainLine(theme.name, 80)}`,
      since && `since ${istTime(since)}`,
    ].filter(Boolean);
    const narrowed = filters.length > 0 ? ` (${filters.join(', ')})` : '';
    const heading = `${formatCount(signals.length, 'move')}${narrowed}, newest first.`;
    const nothing = `No moves found${narrowed}. ${helpFor({ kind, brand, theme, mentions, since, cursor })}`;
    return {
      text: paragraphs(
        signals.length > 0 ? `${heading} ${QUOTE_NOTICE}` : nothing,
        signalList(signals),
        next_cursor !== null && `More: call latest_moves again with cursor "${next_cursor}".`,
      ),
      structured: { signals, next_cursor, ...noticeField },
    };
  },
});
