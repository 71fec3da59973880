/** search: brands, themes and moves, in the form that connectors of assistants expect. */
import { z } from 'zod';
import { formatShortDay } from '../../presentation/text.ts';
import { findNames, type KnownNames } from '../../projector/models/names-queries.ts';
import { searchBox } from '../../projector/models/search-queries.ts';
import { slugify } from '../../schemas/scalar.ts';
import { wordRuns } from '../name-resolution.ts';
import { type ToolContext, tool } from '../tool.ts';
import { inQuotes, plainLine } from '../tool-text.ts';

const MOVES_FOUND = 10;
const NAMES_FOUND = 3;
/** Similarity below which a name is another name. */
const MIN_SIMILARITY = 0.55;

/** Names of the catalogue, including misspelled ones that the index of letters does not find. */
const catalogueNames = ({ directory, gazetteer, themes }: ToolContext): KnownNames => ({
  brandNamed(text) {
    const { found } = gazetteer.findCompany(text);
    return found && { slug: found.slug, name: found.name };
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
  const found = [
    ...like.filter(({ type, score }) => type !== 'city' && score >= MIN_SIMILARITY),
    ...findNamesWithin(context, query),
  ];
  return found
    .filter(({ type, slug }, index) => found.findIndex((one) => one.type === type && one.slug === slug) === index)
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
      .describe('words to look for, 1 to 500 characters; "in quotes" for a phrase, -word to leave out'),
  }),
  output: z.object({ results: z.array(Result) }),
  icon: '<circle cx="11" cy="11" r="6"/><path d="m20 20-4.5-4.5"/>',
  async run(call) {
    const { args, meaningOf } = call;
    const [names, moves] = await Promise.all([
      findSimilarNames(call, args.query),
      searchBox(call, { text: args.query, limit: MOVES_FOUND }, meaningOf),
    ]);
    const found = moves.map(({ signal: { id, headline, published_at, url } }) => ({
      id,
      title: `${inQuotes(headline)}, ${formatShortDay(published_at)}`,
      url,
    }));
    const structured = { results: [...names, ...found] };
    return { text: JSON.stringify(structured), structured };
  },
});
