/** A tool by example: latest_deals. In the service it is `mcp/tools/latest-deals.ts`, over the same query as the route. */
import { z } from 'zod';
import { NoticeField, noticeField, tool } from '../../mcp/tool.ts';
import { plainLine, QUOTE_NOTICE } from '../../mcp/tool-text.ts';
import { DealItem, listDeals } from './deals/deals-queries.ts';

export const latestDeals = tool({
  name: 'latest_deals',
  title: 'Latest deals',
  description: 'The newest deals: what kind, how much, in whom. Use it for funding, mergers and listings.',
  input: z.strictObject({ limit: z.int().min(1).max(50).default(10).describe('most deals, 1 to 50') }),
  output: z.object({ deals: z.array(DealItem), ...NoticeField }),
  icon: '<path d="M4 12h16M12 4v16"/>',
  async run({ args, database }) {
    const deals = await listDeals(database, args.limit);
    // Figures and names are untrusted text of outlets: each stays one plain line.
    const lines = deals.map(({ type, amount, target }) =>
      plainLine(`${type}: ${target ?? 'somebody'}, ${amount ?? '?'}`),
    );
    return { text: [QUOTE_NOTICE, ...lines].join('\n'), structured: { deals, ...noticeField } };
  },
});
