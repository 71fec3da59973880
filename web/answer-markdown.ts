/**
 * Answers and briefings as HTML. They are Markdown of our own making, of which this reads what we write: headings, lists,
 * tables, paragraphs, bold, links and citations. Everything else is text, and stays text.
 */
import { html } from 'hono/html';
import { outwardLink } from './links.ts';
import type { Markup } from './markup.ts';
import { neutralise } from './text.ts';

export interface MarkdownFrame {
  /** Address that readers use, without a slash at its end: links below it are ours. */
  readonly baseUrl: string;
  /** The slug and headline of a cited signal, and its number; null for one that the answer does not carry. */
  readonly cited: (id: string) => { readonly slug: string; readonly headline: string; readonly number: number } | null;
}

const INLINE =
  /\\([\\`*_[\]<>|#~])|\[(sig_[0-9a-f]{16})\]|\[((?:\\.|[^\]\\])*)\]\(([^\s()]+)\)|\*\*((?:\\.|[^*\\])+)\*\*/g;

const plain = (text: string): string => text.replace(/\\([\\`*_[\]<>|#~])/g, '$1');

function citation(id: string, { cited }: MarkdownFrame): Markup | null {
  const found = cited(id);
  if (!found) return null;
  const { slug, headline, number } = found;
  return html`<sup><a class="citation" href="/signal/${slug}" title="${headline}" aria-label="Signal ${number}: ${headline}">${number}</a></sup>`;
}

function link(text: string, url: string, { baseUrl }: MarkdownFrame): Markup {
  const words = plain(text);
  return url.startsWith(`${baseUrl}/`)
    ? html`<a href="${url.slice(baseUrl.length)}">${words}</a>`
    : outwardLink(url, words);
}

function inline(text: string, frame: MarkdownFrame): Markup[] {
  const parts: Markup[] = [];
  let read = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, escaped, id, words, url, bold] = match;
    parts.push(html`${text.slice(read, match.index)}`);
    read = match.index + whole.length;
    if (escaped !== undefined) parts.push(html`${escaped}`);
    else if (id !== undefined) parts.push(citation(id, frame) ?? html``);
    else if (url !== undefined) parts.push(link(words ?? '', url, frame));
    else parts.push(html`<strong>${plain(bold ?? '')}</strong>`);
  }
  return [...parts, html`${text.slice(read)}`];
}

/** The cells of a row; a bar that is escaped is text. */
const cells = (line: string): string[] =>
  line
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

function table(lines: readonly string[], frame: MarkdownFrame): Markup {
  const [head = '', rule = '', ...rows] = lines;
  const right = cells(rule).map((cell) => cell.endsWith(':'));
  const style = (index: number): Markup | null => (right[index] ? html` class="figure"` : null);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>
    <thead><tr>${cells(head).map((cell, index) => html`<th scope="col"${style(index)}>${inline(cell, frame)}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${cells(row).map((cell, index) => html`<td${style(index)}>${inline(cell, frame)}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

type Kind = 'heading' | 'bullets' | 'numbers' | 'table' | 'text';

const kindOf = (line: string): Kind => {
  if (/^#{1,3} /.test(line)) return 'heading';
  if (line.startsWith('- ')) return 'bullets';
  if (/^\d+\. /.test(line)) return 'numbers';
  return line.startsWith('|') ? 'table' : 'text';
};

function block(kind: Kind, lines: readonly string[], frame: MarkdownFrame): Markup {
  const items = (mark: RegExp): Markup[] =>
    lines.map((line) => html`<li>${inline(line.replace(mark, ''), frame)}</li>`);
  switch (kind) {
    case 'heading':
      return html`${lines.map((line) => html`<h2>${inline(line.replace(/^#+ /, ''), frame)}</h2>`)}`;
    case 'bullets':
      return html`<ul>${items(/^- /)}</ul>`;
    case 'numbers':
      return html`<ol>${items(/^\d+\. /)}</ol>`;
    case 'table':
      return table(lines, frame);
    case 'text':
      return html`<p>${inline(lines.join(' '), frame)}</p>`;
  }
}

/** @param text its source text was escaped when it was composed */
export function answerMarkdown(text: string, frame: MarkdownFrame): Markup {
  const blocks: { kind: Kind; lines: string[] }[] = [];
  let open = false;
  for (const line of neutralise(text).split('\n')) {
    const kind = kindOf(line);
    const last = blocks.at(-1);
    if (line.trim() === '') open = false;
    else if (open && last?.kind === kind) last.lines.push(line);
    else {
      blocks.push({ kind, lines: [line] });
      open = true;
    }
  }
  return html`${blocks.map(({ kind, lines }) => block(kind, lines, frame))}`;
}
