/**
 * get_signal: one move in full, with a card for clients that show one (MCP Apps). Signals by their cite ids and the
 * card are also resources.
 */
import { readFileSync } from 'node:fs';
import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { FACTS } from '../../facts/all-facts.ts';
import { linkBrands } from '../../presentation/public-records.ts';
import { factsOfSignal } from '../../projector/models/search-queries.ts';
import { statedFacts } from '../../schemas/facts.ts';
import { SignalDetail } from '../../schemas/resources.ts';
import { Instant, SignalId } from '../../schemas/scalar.ts';
import { NoticeField, noticeField, readStored, resolveSignal, type ToolContext, ToolRefusal, tool } from '../tool.ts';
import { paragraphs, QUOTE_NOTICE, quote, signalText } from '../tool-text.ts';

/** A resource with fixed content, such as the card of a signal. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly text: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

const SIGNAL_URI_PREFIX = 'clarity://signal/';
const SIGNAL_MIME_TYPE = 'text/plain';

export const SIGNAL_TEMPLATE = {
  uriTemplate: `${SIGNAL_URI_PREFIX}{id}`,
  name: 'signal',
  title: 'One move in full',
  description: 'A public signal by its cite id (sig_ and 16 hexadecimal digits): facts, analysis, every report.',
  mimeType: SIGNAL_MIME_TYPE,
};

/** The text of a signal, with the facts that its reports state. */
async function textOf(
  database: ToolContext['database'],
  signal: SignalDetail,
  reports: Parameters<typeof signalText>[1],
): Promise<string> {
  const facts = (await factsOfSignal(database, signal.id)) ?? {};
  const lines = FACTS.flatMap(({ kind, ask }) => statedFacts(facts, kind).map((fact) => ask.line(fact)));
  return paragraphs(
    QUOTE_NOTICE,
    signalText(signal, reports),
    lines.length > 0 && `Facts:\n${lines.map(({ name, value }) => `- ${name}: ${quote(value, 200)}`).join('\n')}`,
  );
}

/** Whether a URI matches the template of signals, with any id. */
export const isSignalUri = (uri: string): boolean => uri.startsWith(SIGNAL_URI_PREFIX);

/**
 * Reads the text of a signal, the same that get_signal answers.
 * @throws ResourceNotFoundError when no public signal has the id
 */
export async function readSignalResource({ database }: ToolContext, uri: string) {
  const id = SignalId.safeParse(uri.slice(SIGNAL_URI_PREFIX.length));
  if (!id.success) throw new ResourceNotFoundError(uri);
  const { document, reports } = await resolveSignal(database, id.data).catch((error) => {
    throw error instanceof ToolRefusal ? new ResourceNotFoundError(uri) : error;
  });
  return {
    uri,
    mimeType: SIGNAL_MIME_TYPE,
    text: await textOf(database, readStored<SignalDetail>(document), reports),
  };
}

export const CARD_URI = 'ui://clarity/signal-card.html';
const CARD_MIME_TYPE = 'text/html;profile=mcp-app';

/** No domains: the card loads nothing and calls nothing. */
const CARD_PERMISSIONS = { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true };

export const SIGNAL_CARD: Resource = {
  uri: CARD_URI,
  name: 'signal-card',
  title: 'Signal card',
  description:
    'Shows one move with its facts and reports. Clients without apps get the same in the text of get_signal.',
  mimeType: CARD_MIME_TYPE,
  text: readFileSync(new URL('../signal-card.html', import.meta.url), 'utf8'),
  meta: { ui: CARD_PERMISSIONS },
};

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
      text: await textOf(call.database, signal, reports),
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
