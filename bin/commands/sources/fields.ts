/** The fields of a source as options of a command. */
import { type Command, InvalidArgumentError } from 'commander';
import type { SourceFields } from '../../../ingest/roster/decide-source.ts';

const number = (text: string): number => {
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) throw new InvalidArgumentError('It must be a number.');
  return value;
};

const collect = (text: string, before: readonly string[] = []): string[] => [...before, text];

function selector(text: string, before: Record<string, string> = {}): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('It must be part=css, with one of item, title, link, summary, date.');
  return { ...before, [text.slice(0, equals).trim()]: text.slice(equals + 1).trim() };
}

function header(text: string, before: Record<string, string> = {}): Record<string, string> {
  const colon = text.indexOf(':');
  if (colon < 1) throw new InvalidArgumentError("It must be 'Name: value'.");
  return { ...before, [text.slice(0, colon).trim()]: text.slice(colon + 1).trim() };
}

export interface FieldFlags {
  readonly outlet?: string;
  readonly kind?: string;
  readonly role?: string;
  readonly authority?: number;
  readonly language?: string;
  readonly country?: string;
  readonly theme?: readonly string[];
  readonly cadence?: number;
  readonly backlog?: number;
  readonly header?: Readonly<Record<string, string>>;
  readonly articles?: string;
  readonly selector?: Readonly<Record<string, string>>;
}

/** Adds an option for each field that operators set. What they say is checked by the schema of a source. */
export const withFields = (command: Command): Command =>
  command
    .option('--outlet <name>', 'the publisher, as readers know it')
    .option('--kind <kind>', 'rss (also Atom and JSON Feed), html, news_sitemap')
    .option('--role <role>', 'news, or oracle for a reference source that only checks coverage')
    .option('--authority <number>', 'how much its text is preferred, 0 to 1', number)
    .option('--language <code>', 'two letters, such as en or hi')
    .option('--country <code>', 'where the outlet publishes: two capital letters, such as IN')
    .option('--theme <slug>', 'a theme; may be given several times', collect)
    .option('--cadence <seconds>', 'a fixed time between polls; unset, it is learnt', number)
    .option('--backlog <days>', 'items of the first poll that count as seen on their own date', number)
    .option(
      '--header <name:value>',
      `a request header; secrets as \${SOURCE_…} of the environment; several times`,
      header,
    )
    .option('--articles <when>', 'when_needed fetches the articles of items without date or summary; or never')
    .option('--selector <part=css>', 'for kind html: item, title, link, summary, date; several times', selector);

/** The fields that were given. */
export const fieldsOf = (flags: FieldFlags): SourceFields =>
  Object.fromEntries(
    Object.entries({
      outlet: flags.outlet,
      kind: flags.kind,
      role: flags.role,
      authority: flags.authority,
      language: flags.language,
      country: flags.country,
      themes: flags.theme,
      cadence_seconds: flags.cadence,
      backlog_days: flags.backlog,
      headers: flags.header,
      articles: flags.articles,
      selectors: flags.selector,
    }).filter(([, value]) => value !== undefined),
  );
