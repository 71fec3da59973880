/** The fields of a source as arguments of actions. */
import { z } from 'zod';
import type { SourceFields } from '../ingest/roster/source-commands.ts';
import { Source } from '../schemas/source.ts';

const { shape } = Source;

/** The fields of a source that operators set. Headers and selectors are checked where the whole source is, which hides secrets. */
export const SOURCE_FIELDS = {
  outlet: shape.outlet
    .optional()
    .meta({ description: 'the publisher, as readers know it', label: 'Outlet', placeholder: 'name' }),
  kind: shape.kind.unwrap().optional().meta({ description: 'feed reads RSS, Atom, RDF and JSON Feed', label: 'Kind' }),
  role: shape.role.unwrap().optional().describe('an oracle source makes no signals, it checks coverage'),
  authority: shape.authority.unwrap().optional().meta({
    description: 'how much its text is preferred, 0 to 1',
    label: 'Authority, 0 to 1',
    placeholder: 'number',
  }),
  language: shape.language
    .unwrap()
    .optional()
    .meta({ description: 'two letters, such as en or hi', label: 'Language, two letters', placeholder: 'code' }),
  country: shape.country.unwrap().nullable().optional().meta({
    description: 'where the outlet publishes: two capital letters, such as IN',
    label: 'Country, two capital letters',
    placeholder: 'code',
  }),
  themes: z.array(z.string()).optional().meta({ description: 'a theme', option: 'theme', placeholder: 'slug' }),
  cadence_seconds: shape.cadence_seconds.unwrap().nullable().optional().meta({
    description: 'a fixed interval between polls; default: learned',
    label: 'Seconds between polls; empty: learned',
    option: 'cadence',
    placeholder: 'seconds',
  }),
  backlog_days: shape.backlog_days.unwrap().optional().meta({
    description: 'items of the first poll up to this age count as seen on their own date',
    option: 'backlog',
    placeholder: 'days',
  }),
  headers: z.record(z.string(), z.string()).optional().meta({
    description: `a request header; secrets as \${SOURCE_…} from the environment`,
    option: 'header',
    placeholder: 'name:value',
    separator: ':',
  }),
  articles: shape.articles.unwrap().optional().meta({
    description: 'fetches the articles of items without date or summary',
    label: 'Articles of items without date or summary',
  }),
  selectors: z.record(z.string(), z.string()).optional().meta({
    description: 'for kind html: item, title, link, summary, date',
    option: 'selector',
    placeholder: 'part=css',
  }),
};

/** Fields as they were given: those without a value are unset. */
export const givenFields = (fields: Readonly<Record<string, unknown>>): SourceFields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value === null ? undefined : value]],
    ),
  );
