/** GET /find: brands, themes, cities, people and headlines that begin like what a reader types, as JSON for the box. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DAY, formatDay } from '../../language/days.ts';
import { brandPath, cityPath } from '../../presentation/markup.ts';
import { listFiltered } from '../../presentation/public-records.ts';
import { parseDocument } from '../../presentation/text.ts';
import { appointedPeople } from '../../projector/models/leadership-moves-queries.ts';
import { findNames } from '../../projector/models/names-queries.ts';
import { foldName } from '../../schemas/name-search.ts';
import { reportedAt, SignalItem } from '../../schemas/resources.ts';
import { Words } from '../../schemas/signal-filter.ts';
import { readQuery } from '../forms.ts';
import { cacheFor, namesLoader } from '../names.ts';
import { excerpt } from '../parts.ts';
import type { Site } from '../site.ts';

/** Something that the box offers. */
interface Hit {
  readonly kind: 'Brand' | 'Theme' | 'City' | 'Person' | 'Story';
  readonly name: string;
  readonly path: string;
  readonly note?: string;
}

/** A name with its spelling in lower case and without accents. */
interface KnownName extends Hit {
  readonly folded: string;
}

const PEOPLE_DAYS = 365;
const MAXIMUM_PEOPLE = 5_000;
const NAMES_SECONDS = 300;
/** Of each kind. */
const OFFERED = { Brand: 5, Theme: 2, City: 3, Person: 3, Story: 4 } as const;
/** Fewer letters begin too many names and are in too many headlines. */
const LEAST_LETTERS = 3;

const foldedName = (hit: Hit): KnownName => ({ ...hit, folded: foldName(hit.name) });

/** Every name with a page, and everyone who took or left a seat within a year. */
function nameLoader(site: Site): () => Promise<readonly KnownName[]> {
  const { database, now } = site;
  const loadNames = namesLoader(site);
  return cacheFor(
    NAMES_SECONDS,
    now,
    async () => {
      const since = new Date(now().getTime() - PEOPLE_DAYS * DAY);
      const [{ brands, themes, cities }, people] = await Promise.all([
        loadNames(),
        appointedPeople(database, since, MAXIMUM_PEOPLE),
      ]);
      return [
        ...brands.map(({ slug, name }) => foldedName({ kind: 'Brand', name, path: brandPath(slug) })),
        ...themes.map(({ slug, name }) => foldedName({ kind: 'Theme', name, path: `/theme/${slug}` })),
        ...cities.map(({ name }) => foldedName({ kind: 'City', name, path: cityPath(name) })),
        ...people.map(({ person, role, company, slug }) =>
          foldedName({
            kind: 'Person',
            name: excerpt(person),
            path: `/signal/${slug}`,
            note: excerpt([role, company].filter(Boolean).join(', '), 80),
          }),
        ),
      ];
    },
    (names) => names.length > 0,
  );
}

/** How well a name fits, the best first: the name itself, its beginning, that of a word, its letters; null for not at all. */
function fitOf({ folded }: KnownName, typed: string): number | null {
  const [letters, joined] = [folded.replaceAll(' ', ''), typed.replaceAll(' ', '')];
  if (letters === joined) return 0;
  if (letters.startsWith(joined)) return 1;
  if (` ${folded}`.includes(` ${typed}`)) return 2;
  return joined.length >= LEAST_LETTERS && letters.includes(joined) ? 3 : null;
}

function namesLike(names: readonly KnownName[], text: string): Hit[] {
  const typed = foldName(text);
  const fitting = names
    .map((name) => ({ name, fit: typed === '' ? null : fitOf(name, typed) }))
    .filter((one): one is { name: KnownName; fit: number } => one.fit !== null)
    .toSorted((one, other) => one.fit - other.fit || one.name.name.length - other.name.name.length);
  const kinds = ['Brand', 'Theme', 'City', 'Person'] as const;
  return kinds.flatMap((kind) =>
    fitting
      .filter(({ name }) => name.kind === kind)
      .slice(0, OFFERED[kind])
      .map(({ name: { folded: _, ...hit } }) => hit),
  );
}

/** Brands that are spelled otherwise than typed. */
async function brandsAlike({ database, directory }: Site, text: string): Promise<Hit[]> {
  const alike = await findNames(database, text, { limit: OFFERED.Brand, directory });
  return alike.flatMap(({ type, slug, name }): Hit[] =>
    type === 'brand' ? [{ kind: 'Brand', name: excerpt(name), path: brandPath(slug) }] : [],
  );
}

async function storiesLike({ database, directory, search, now }: Site, words: string): Promise<Hit[]> {
  const filter = { words, only: {}, without: {}, sort: 'relevance' } as const;
  const { documents } = await listFiltered({ database, directory, search, now }, filter, { limit: OFFERED.Story });
  return documents.map((document): Hit => {
    const signal = parseDocument(document, SignalItem);
    const note = `${formatDay(reportedAt(signal))}, ${excerpt(signal.source.outlet ?? '', 40)}`;
    return { kind: 'Story', name: excerpt(signal.headline, 140), path: `/signal/${signal.slug}`, note };
  });
}

const Query = z.object({ q: Words.default(''), only: z.literal('brands').optional().catch(undefined) });

export function findPage(server: FastifyInstance, site: Site): void {
  const loadNames = nameLoader(site);
  server.get('/find', async (request, reply) => {
    const { q, only } = readQuery(Query, request.query);
    const hasWords = q.length >= LEAST_LETTERS;
    const [names, stories] = await Promise.all([
      loadNames(),
      hasWords && only === undefined ? storiesLike(site, q) : [],
    ]);
    const named = namesLike(names, q);
    const hasBrand = named.some(({ kind }) => kind === 'Brand');
    const alike = hasBrand || !hasWords ? [] : await brandsAlike(site, q);
    const hits = [...alike, ...named, ...stories].filter(({ kind }) => only === undefined || kind === 'Brand');
    return reply.send({ hits });
  });
}
