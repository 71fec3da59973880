/** The table of settings in docs/settings.md, from the schema that validates them. `npm run describe` writes it. */
import { writeFileSync } from 'node:fs';
import { Configuration } from '../schemas/configuration.ts';

const INTRODUCTION = `# Settings

Settings come from the environment and are validated at start. The message about an invalid value names the setting and the
allowed values. An empty value counts as unset. \`npm run describe\` writes this page from \`schemas/configuration.ts\`.

| Name | Default | Description |
|---|---|---|
`;

const END = `
\`SOURCE_…\` are the secrets that \`headers\` of sources refer to: see [fields of a source](sources.md#fields-of-a-source).
`;

/** A default as an operator would write it; nothing for a setting that is unset by default. */
function defaultText(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? '90' : String(value);
}

/** The page as Markdown. @throws Error that names a setting without a description */
export function settingsText(): string {
  const rows = Object.entries(Configuration.shape).map(([name, schema]) => {
    const { description } = schema;
    if (!description) throw new Error(`${name} has no description`);
    return `| \`${name}\` | ${defaultText(schema.parse(undefined))} | ${description.replaceAll('|', '\\|')} |`;
  });
  return `${INTRODUCTION}${rows.join('\n')}\n${END}`;
}

if (import.meta.main) writeFileSync(new URL('../docs/settings.md', import.meta.url), settingsText());
