/** The errors of a measurement as one HTML page to read, by field. */
import { html } from 'hono/html';

/** One error: what was expected, what was said, and why. */
export interface ErrorEntry {
  /** The figure that it counts for. */
  readonly section: string;
  readonly key: string;
  /** The texts that were judged, a line each. */
  readonly texts: readonly string[];
  readonly expected: string;
  readonly got: string;
  /** What `--explain` says. */
  readonly why: string;
}

const STYLE =
  'body{font:15px/1.4 system-ui;margin:2rem auto;max-width:75rem;padding:0 1rem}table{border-collapse:collapse;width:100%}' +
  'td,th{border-bottom:1px solid #ccc;padding:.4rem .6rem;text-align:left;vertical-align:top}p{margin:0 0 .2rem}' +
  'code,small{color:#555}td:first-child{width:45%}';

const row = ({ key, texts, expected, got, why }: ErrorEntry) =>
  html`<tr id="${key}"><td>${texts.map((text) => html`<p>${text}</p>`)}<code>${key}</code></td><td>${expected || '–'}</td><td>${got || '–'}</td><td><small>${why}</small></td></tr>`;

/** Writes the page. Texts of sources are escaped. */
export async function errorsPage(errors: readonly ErrorEntry[]): Promise<string> {
  const sections = [...Map.groupBy(errors, ({ section }) => section)];
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Errors</title><style>${STYLE}</style></head>
<body>
<h1>${errors.length} errors</h1>
<ul>${sections.map(([name, found]) => html`<li><a href="#section ${name}">${name}</a>: ${found.length}</li>`)}</ul>
${sections.map(
  ([name, found]) => html`<h2 id="section ${name}">${name}</h2>
<table><tr><th>text</th><th>expected</th><th>got</th><th>why</th></tr>
${found.map(row)}</table>
`,
)}</body>
</html>
`;
  return String(await page);
}
