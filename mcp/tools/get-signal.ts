/** get_signal: one move in full, with a card for clients that show one. */
import { z } from 'zod';
import { linkBrands } from '../../presentation/public-records.ts';
import { SignalDetail } from '../../schemas/resources.ts';
import { Instant } from '../../schemas/scalar.ts';
import { resolveSignal } from '../name-resolution.ts';
import { CARD_URI } from '../signal-resources.ts';
import { NoticeField, noticeField, readStored, tool } from '../tool.ts';
import { paragraphs, QUOTE_NOTICE, signalText } from '../tool-text.ts';

const Report = z.object({
  outlet: z.string(),
  url: z.string(),
  headline: z.string(),
  published_at: Instant.nullable(),
});

export const getSignal = tool({
  name: 'get_signal',
  title: 'One move in full',
  description:
    'One move in full: what happened, why it matters, what to watch, key facts, and every outlet that reported it with its link. Use it for a signal that your answer relies on, or for a sig_ id or a /signal/ address.',
  input: z.strictObject({
    id_or_slug: z
      .string()
      .min(1)
      .max(300)
      .describe('a cite id such as sig_0123456789abcdef, a slug, or the address of its page'),
  }),
  output: z.object({
    signal: SignalDetail,
    reports: z.array(Report).describe('All reports, oldest first'),
    ...NoticeField,
  }),
  icon: '<path d="M6 3h9l4 4v14H6z"/><path d="M9 12h7M9 16h7"/>',
  meta: { ui: { resourceUri: CARD_URI, visibility: ['model', 'app'] }, 'ui/resourceUri': CARD_URI },
  async run(call) {
    const { document, reports } = await resolveSignal(call.database, call.args.id_or_slug);
    const [linked = document] = await linkBrands(call, [document]);
    const signal = readStored<SignalDetail>(linked);
    return {
      text: paragraphs(QUOTE_NOTICE, signalText(signal, reports)),
      structured: {
        signal,
        reports: reports.map(({ outlet, url, title, published_at }) => ({
          outlet,
          url,
          headline: title,
          published_at,
        })),
        ...noticeField,
      },
    };
  },
});
