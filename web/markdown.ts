/** Markdown as markup: the prose of the project, and answers with their citations. */
import { html } from 'hono/html';
import { type Markup, outwardLink, safeLink } from '../presentation/markup.ts';
import { neutralise } from '../presentation/text.ts';

interface MarkdownFrame {
  /** The public address, without a slash at its end: links below it stay on the site. */
  readonly baseUrl: string;
  /** The slug, headline and number of a cited signal; null for a signal that the answer does not cite. */
  readonly cited: (id: string) => { readonly slug: string; readonly headline: string; readonly number: number } | null;
}

const ANSWER_INLINE =
  /\\([\\`*_[\]<>|#~])|\[(sig_[0-9a-f]{16})\]|\[((?:\\.|[^\]\\])*)\]\(([^\s()]+)\)|\*\*((?:\\.|[^*\\])+)\*\*/g;

const plain = (text: string): string => text.replace(/\\([\\`*_[\]<>|#~])/g, '$1');

function citation(id: string, { cited }: MarkdownFrame): Markup | null {
  const signal = cited(id);
  if (!signal) return null;
  const { slug, headline, number } = signal;
  return html`<sup><a class="citation" href="/signal/${slug}" title="${headline}" aria-label="Signal ${number}: ${headline}">${number}</a></sup>`;
}

function link(text: string, url: string, { baseUrl }: MarkdownFrame): Markup {
  const words = plain(text);
  return url.startsWith(`${baseUrl}/`)
    ? html`<a href="${url.slice(baseUrl.length)}">${words}</a>`
    : outwardLink(url, words);
}

/** A text with its marks rendered; what is between them stays text. */
function withMarks(text: string, marks: RegExp, render: (match: RegExpExecArray) => Markup): Markup[] {
  const parts: Markup[] = [];
  let read = 0;
  for (const match of text.matchAll(marks)) {
    parts.push(html`${text.slice(read, match.index)}`, render(match));
    read = match.index + match[0].length;
  }
  return [...parts, html`${text.slice(read)}`];
}

const answerInline = (text: string, frame: MarkdownFrame): Markup[] =>
  withMarks(text, ANSWER_INLINE, ([, escaped, id, words = '', url, bold = '']) => {
    if (escaped !== undefined) return html`${escaped}`;
    if (id !== undefined) return citation(id, frame) ?? html``;
    return url === undefined ? html`<strong>${plain(bold)}</strong>` : link(words, url, frame);
  });

/** The cells of a row; an escaped bar is text. */
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
    <thead><tr>${cells(head).map((cell, index) => html`<th scope="col"${style(index)}>${answerInline(cell, frame)}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${cells(row).map((cell, index) => html`<td${style(index)}>${answerInline(cell, frame)}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

type Kind = 'heading' | 'bullets' | 'numbers' | 'table' | 'quote' | 'text';

const kindOf = (line: string): Kind => {
  if (/^#{1,3} /.test(line)) return 'heading';
  if (line.startsWith('- ')) return 'bullets';
  if (/^\d+\. /.test(line)) return 'numbers';
  if (line.startsWith('> ')) return 'quote';
  return line.startsWith('|') ? 'table' : 'text';
};

function answerBlock(kind: Kind, lines: readonly string[], frame: MarkdownFrame): Markup {
  const items = (mark: RegExp): Markup[] =>
    lines.map((line) => html`<li>${answerInline(line.replace(mark, ''), frame)}</li>`);
  switch (kind) {
    case 'heading':
      return html`${lines.map((line) => html`<h2>${answerInline(line.replace(/^#+ /, ''), frame)}</h2>`)}`;
    case 'bullets':
      return html`<ul>${items(/^- /)}</ul>`;
    case 'numbers':
      return html`<ol>${items(/^\d+\. /)}</ol>`;
    case 'table':
      return table(lines, frame);
    case 'quote':
      return html`<blockquote>${lines.map((line) => html`<p>${answerInline(line.slice(2), frame)}</p>`)}</blockquote>`;
    case 'text':
      return html`<p>${answerInline(lines.join(' '), frame)}</p>`;
  }
}

/**
 * Answers and briefings as markup: headings, lists, tables, quotations, paragraphs, bold, links and citations, which is what the
 * composer writes. Everything else stays text.
 * @param text Markdown whose quoted texts were escaped when it was composed
 */
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
  return html`${blocks.map(({ kind, lines }) => answerBlock(kind, lines, frame))}`;
}

const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\]\n]+)\]\(([^()\s]+)\)/g;
/** An address within the site, or an http address; null for others. */
const inward = (address: string): string | null => (/^[/#](?!\/)/.test(address) ? address : safeLink(address));

/** Text with code, bold words and links; everything else stays text. */
export const inline = (text: string): Markup[] =>
  withMarks(text, INLINE, ([, code, bold, label, address]) => {
    if (code !== undefined) return html`<code>${code}</code>`;
    if (bold !== undefined) return html`<strong>${inline(bold)}</strong>`;
    const target = address === undefined ? null : inward(address);
    return target === null ? html`${label}` : html`<a href="${target}">${label}</a>`;
  });

/** The items of a list; following lines belong to their item. */
function items(lines: readonly string[], mark: RegExp): string[] {
  const texts: string[] = [];
  for (const line of lines) {
    if (mark.test(line)) texts.push(line.replace(mark, ''));
    else texts.push(`${texts.pop() ?? ''} ${line.trim()}`);
  }
  return texts;
}

const BULLET = /^[-*] +/;
const NUMBER = /^\d+[.)] +/;

function block(text: string): Markup {
  const lines = text.split('\n');
  const [first = '', ...rest] = lines;
  const marked = /^(#{1,6}) +(.*)$/.exec(first);
  if (marked) {
    const under = rest.join('\n').trim();
    const words = inline(marked[2] ?? '');
    const heading = (marked[1]?.length ?? 2) <= 2 ? html`<h2>${words}</h2>` : html`<h3>${words}</h3>`;
    return html`${heading}${under === '' ? null : block(under)}`;
  }
  if (BULLET.test(first)) return html`<ul>${items(lines, BULLET).map((item) => html`<li>${inline(item)}</li>`)}</ul>`;
  if (NUMBER.test(first)) return html`<ol>${items(lines, NUMBER).map((item) => html`<li>${inline(item)}</li>`)}</ol>`;
  return html`<p>${inline(lines.map((line) => line.trim()).join(' '))}</p>`;
}

/** Markdown of the project's documents: headings, lists, fenced code and paragraphs. HTML in it stays text. */
export function markdown(text: string): Markup[] {
  // Every second part is fenced code. The line of a fence may name only a language: other words would be lost.
  return text.split(/^```[\w-]*$/m).flatMap((part, at) => {
    if (at % 2 === 1) return [html`<pre tabindex="0"><code>${part.replace(/^\n|\n$/g, '')}</code></pre>`];
    return part
      .split(/\n\s*\n/)
      .map((one) => one.trim())
      .filter(Boolean)
      .map(block);
  });
}
