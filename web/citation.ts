/** How a signal is cited: as a link, in Markdown and in BibTeX. Pure. */
import { formatShortDay, istDay } from '../presentation/text.ts';
import type { SignalDetail } from '../schemas/resources.ts';

type Cited = Pick<SignalDetail, 'id' | 'url' | 'headline' | 'published_at'>;

const MARKDOWN = /[\\`*_[\]<>]/g;

/** `[headline](url), Clarity, 21 November 2026` */
export const markdownCitation = ({ url, headline, published_at }: Cited): string =>
  `[${headline.replace(MARKDOWN, '\\$&')}](${url}), Clarity, ${formatShortDay(published_at)}`;

/** The characters that TeX would take for commands. */
const TEX: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
};
const tex = (text: string): string =>
  text.replace(/[\\~^{}&%$#_]/g, (character) => TEX[character] ?? `\\${character}`).replace(/₹/g, 'Rs~');

/** An entry `@misc` whose key is the id of the signal. */
export function bibtexCitation({ id, url, headline, published_at }: Cited): string {
  const day = istDay(published_at);
  return [
    `@misc{${id},`,
    '  author = {{Clarity}},',
    `  title = {{${tex(headline)}}},`,
    `  year = {${day.slice(0, 4)}},`,
    `  date = {${day}},`,
    `  url = {${url}}`,
    '}',
  ].join('\n');
}
