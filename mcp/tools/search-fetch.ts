/**
 * search: brands, themes and moves; and fetch: the full text of one result. Both in the form that connectors of
 * assistants expect.
 */

import { z } from 'zod';
import { formatDay } from '../../language/days.ts';
import { formatCount } from '../../language/prose.ts';
import { findPublicBrand } from '../../presentation/public-records.ts';
import { findTheme } from '../../projector/models/brands-queries.ts';
import { findNames, type KnownNames } from '../../projector/models/names-queries.ts';
import { wantedAndLeftOut } from '../../projector/models/query-parts.ts';
import { searchBox } from '../../projector/models/search-queries.ts';
import { listSignals } from '../../projector/models/signals-queries.ts';
import { quoted } from '../../schemas/input-errors.ts';
import { reportedAt, type SignalDetail, type SignalItem } from '../../schemas/resources.ts';
import { hasWords, slugify } from '../../schemas/scalar.ts';
import {
  readStored,
  resolveBrand,
  resolveSignal,
  resolveTheme,
  type ToolContext,
  ToolRefusal,
  tool,
  wordRuns,
} from '../tool.ts';
import { inQuotes, paragraphs, plainLine, QUOTE_NOTICE, signalList, signalText } from '../tool-text.ts';

const MOVES_FOUND = 10;
const NAMES_FOUND = 3;
/** Similarity below which a name is another name. */
const MIN_SIMILARITY = 0.55;

/** Names of the catalogue, including misspelled ones that the index of letters does not find. */
const catalogueNames = ({ directory, gazetteer, themes }: ToolContext): KnownNames => ({
  brandNamed(text) {
    const { found: company } = gazetteer.findCompany(text);
    return company && { slug: company.slug, name: company.name };
  },
  // A name near that of a brand is not a misspelled theme: "zudio" is not "audio".
  theme: (slug) =>
    directory.theme(slug) ?? themes.exact(slug) ?? (gazetteer.findCompany(slug).found ? null : themes.find(slug).found),
  city: () => null,
});

/** Brands and themes whose names occur in a query. */
const findNamesWithin = ({ directory }: ToolContext, query: string): Named[] =>
  wordRuns(query).flatMap((run): Named[] => {
    const [brand, theme] = [directory.brandNamed(run), directory.theme(slugify(run))];
    return [
      ...(brand ? [{ type: 'brand', ...brand }] : []),
      ...(theme ? [{ type: 'theme', slug: theme.slug, name: theme.name }] : []),
    ];
  });

async function findSimilarNames(context: ToolContext, query: string): Promise<z.infer<typeof Result>[]> {
  const like = await findNames(context.database, query, { limit: 10, directory: catalogueNames(context) });
  const matches = [
    ...like.filter(({ type, score }) => type !== 'city' && score >= MIN_SIMILARITY),
    ...findNamesWithin(context, query),
  ];
  return matches
    .filter(({ type, slug }, index) => matches.findIndex((one) => one.type === type && one.slug === slug) === index)
    .slice(0, NAMES_FOUND)
    .map(({ type, slug, name }) => ({
      id: `${type}:${slug}`,
      title: `${plainLine(name, 120)} (${type})`,
      url: `${context.baseUrl}/${type}/${slug}`,
    }));
}

type Named = { readonly type: string; readonly slug: string; readonly name: string };

const Result = z.object({ id: z.string(), title: z.string(), url: z.string() });

export const search = tool({
  name: 'search',
  title: 'Search',
  description:
    'Finds brands, themes and moves for words: "Zudio Pune stores", "quick commerce funding", "\\"dark stores\\" -Zepto". Returns ids, titles (headlines are quoted from outlets) and pages; pass an id to fetch for the full text. Use it when no other tool fits, or to find the right name.',
  input: z.strictObject({
    query: z
      .string()
      .min(1)
      .max(500)
      .refine(hasWords, 'must contain a letter or a digit')
      .describe('words to look for; "in quotes" for a phrase, -word to leave out'),
  }),
  output: z.object({ results: z.array(Result) }),
  icon: '<circle cx="11" cy="11" r="6"/><path d="m20 20-4.5-4.5"/>',
  async run(call) {
    const { args, meaningOf } = call;
    const [names, moves] = await Promise.all([
      findSimilarNames(call, wantedAndLeftOut(args.query).wanted),
      searchBox(call, { text: args.query, limit: MOVES_FOUND }, meaningOf),
    ]);
    const signals = moves.map(({ signal, signal: { id, headline, url } }) => ({
      id,
      title: `${inQuotes(headline)}, ${formatDay(reportedAt(signal))}`,
      url,
    }));
    const structured = { results: [...names, ...signals] };
    return { text: JSON.stringify(structured), structured };
  },
});

const MAX_LATEST = 10;

const Fetched = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string(),
  url: z.string(),
  metadata: z.record(z.string(), z.string()).describe('type; dates, outlet and counts where known'),
});
type Fetched = z.infer<typeof Fetched>;

const latestText = (documents: readonly string[]): string =>
  documents.length === 0
    ? 'No public moves yet.'
    : `Latest moves, newest first. ${QUOTE_NOTICE}\n${signalList(documents.map((document) => readStored<SignalItem>(document)))}`;

async function fetchBrand(context: ToolContext, name: string): Promise<Fetched> {
  const { slug } = await resolveBrand(context, name);
  const profile = await findPublicBrand(context, context.directory.currentSlug(slug));
  if ('redirect' in profile) throw new Error(`${slug} leads to ${profile.redirect}, which was resolved before`);
  const { brand, latest } = profile;
  const title = plainLine(brand.name, 120);
  return {
    id: `brand:${brand.slug}`,
    title,
    text: paragraphs(
      `${title}: ${formatCount(brand.stories_about, 'story', 'stories')} about it, ${formatCount(brand.last_30_days?.total ?? 0, 'story', 'stories')} in the last 30 days.`,
      latestText(latest),
    ),
    url: brand.url,
    metadata: {
      type: 'brand',
      stories: String(brand.stories),
      ...(brand.last_seen_at && { last_seen_at: brand.last_seen_at }),
    },
  };
}

async function fetchTheme(context: ToolContext, name: string): Promise<Fetched> {
  const { database, baseUrl, now } = context;
  const theme = await resolveTheme(context, name);
  const stored = await findTheme(database, theme.slug, { now: now(), baseUrl });
  const { documents } = await listSignals(database, { only: { theme: [theme.slug] }, limit: MAX_LATEST });
  const title = plainLine(stored?.name ?? theme.name, 120);
  return {
    id: `theme:${theme.slug}`,
    title,
    text: paragraphs(
      `${title}: ${formatCount(stored?.stories ?? 0, 'story', 'stories')} under it.`,
      latestText(documents),
    ),
    url: `${baseUrl}/theme/${theme.slug}`,
    metadata: { type: 'theme', stories: String(stored?.stories ?? 0) },
  };
}

async function fetchSignal({ database }: ToolContext, id: string): Promise<Fetched> {
  const { document, reports } = await resolveSignal(database, id);
  const signal = readStored<SignalDetail>(document);
  const { published_at, reported_at, event_at, move, source, outlets } = signal;
  return {
    id: signal.id,
    title: inQuotes(signal.headline),
    text: paragraphs(QUOTE_NOTICE, signalText(signal, reports)),
    url: signal.url,
    metadata: {
      type: 'signal',
      move,
      published_at,
      ...(reported_at && { reported_at }),
      outlets: String(outlets),
      ...(event_at && { event_at }),
      ...(source.outlet && { outlet: plainLine(source.outlet, 120) }),
    },
  };
}

/** Pages that another tool answers for. */
const OTHER_PAGES: Readonly<Record<string, string>> = {
  city: 'get_expansion_map with the argument city',
  mall: 'get_expansion_map with the argument mall',
  map: 'get_expansion_map',
  group: 'get_group',
  people: 'get_leadership_moves',
  brief: 'daily_brief',
  watch: 'compare_brands',
};

/**
 * Parses an id or the address of a page: `brand:zudio`, `https://…/brand/zudio?days=7` and `/brand/zudio` are equal.
 * @throws ToolRefusal for a page that another tool answers for
 */
function subjectOf(id: string): { readonly type: string; readonly name: string } {
  const text = id.trim();
  const [, kind, named] = /^(brand|theme|signal):(.+)$/.exec(text) ?? [];
  if (kind && named) return { type: kind, name: named };
  const [, path] = /^(?:https?:\/\/[^/]+)?\/([^?#]*)/.exec(text) ?? [];
  const [page = '', slug = ''] = path?.split('/') ?? [];
  if (slug && (page === 'brand' || page === 'theme')) return { type: page, name: slug };
  const other = path === undefined || !Object.hasOwn(OTHER_PAGES, page) ? undefined : OTHER_PAGES[page];
  if (other) throw new ToolRefusal(`${quoted(text)} is a page of another kind: call ${other}.`);
  return { type: 'signal', name: text };
}

export const fetch = tool({
  name: 'fetch',
  title: 'Fetch',
  description:
    'Full text of one search result: a move with its facts and reports, or a brand or theme with its latest moves. Use it with an id from search.',
  input: z.strictObject({
    id: z
      .string()
      .min(1)
      .max(300)
      .describe(
        'an id of a search result, such as sig_0123456789abcdef, brand:zudio or theme:quick-commerce, or a page address',
      ),
  }),
  output: Fetched,
  icon: '<path d="M12 3v12M7 10l5 5 5-5M4 21h16"/>',
  async run(call) {
    const { type, name } = subjectOf(call.args.id);
    const fetchOne = type === 'brand' ? fetchBrand : type === 'theme' ? fetchTheme : fetchSignal;
    const structured = await fetchOne(call, name);
    return { text: JSON.stringify(structured), structured };
  },
});
