/** A little Markdown as markup: headings, lists, fenced code, paragraphs; in them code, bold and links. */
import { html } from 'hono/html';
import { safeLink } from '../links.ts';
import type { Markup } from '../markup.ts';

const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\]\n]+)\]\(([^()\s]+)\)/g;
/** Addresses within the site, or out of it by http. */
const inward = (address: string): string | null => (/^[/#](?!\/)/.test(address) ? address : safeLink(address));

/** Text with its code, bold words and links; everything else in it stays text. */
export function inline(text: string): Markup[] {
  const parts: Markup[] = [];
  let end = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, code, bold, label, address] = found;
    parts.push(html`${text.slice(end, found.index)}`);
    end = found.index + whole.length;
    const link = address === undefined ? null : inward(address);
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (bold !== undefined) parts.push(html`<strong>${inline(bold)}</strong>`);
    else parts.push(link === null ? html`${label}` : html`<a href="${link}">${label}</a>`);
  }
  return [...parts, html`${text.slice(end)}`];
}

const heading = (level: number, text: string): Markup => {
  if (level <= 2) return html`<h2>${inline(text)}</h2>`;
  return html`<h3>${inline(text)}</h3>`;
};

/** Lines of an item that go on below its first belong to it. */
function items(lines: readonly string[], mark: RegExp): string[] {
  const found: string[] = [];
  for (const line of lines) {
    if (mark.test(line)) found.push(line.replace(mark, ''));
    else found.push(`${found.pop() ?? ''} ${line.trim()}`);
  }
  return found;
}

const BULLET = /^[-*] +/;
const NUMBER = /^\d+[.)] +/;

function block(text: string): Markup {
  const lines = text.split('\n');
  const [first = '', ...rest] = lines;
  const marked = /^(#{1,6}) +(.*)$/.exec(first);
  if (marked) {
    const under = rest.join('\n').trim();
    return html`${heading(marked[1]?.length ?? 2, marked[2] ?? '')}${under === '' ? null : block(under)}`;
  }
  if (BULLET.test(first)) return html`<ul>${items(lines, BULLET).map((item) => html`<li>${inline(item)}</li>`)}</ul>`;
  if (NUMBER.test(first)) return html`<ol>${items(lines, NUMBER).map((item) => html`<li>${inline(item)}</li>`)}</ol>`;
  return html`<p>${inline(lines.map((line) => line.trim()).join(' '))}</p>`;
}

/** The whole text. Markup in it is shown as text. */
export function markdown(text: string): Markup[] {
  // Every second part stands between fences. A fence names a language at most: more words after it would be lost.
  return text.split(/^```[\w-]*$/m).flatMap((part, at) => {
    if (at % 2 === 1) return [html`<pre tabindex="0"><code>${part.replace(/^\n|\n$/g, '')}</code></pre>`];
    return part
      .split(/\n\s*\n/)
      .map((one) => one.trim())
      .filter(Boolean)
      .map(block);
  });
}
