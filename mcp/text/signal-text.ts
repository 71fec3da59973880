/** One signal in full, as text. */
import type { FoundSignal } from '../../projector/models/signals-queries.ts';
import type { SignalDetail } from '../../schemas/resources.ts';
import { plainAddress, plainLine, quote } from './quote.ts';
import { citeLine, factLine, istTime, paragraphs } from './signal-lines.ts';

const REPORTS_SHOWN = 10;

const section = (title: string, text: string | null): string | null => (text === null ? null : `${title}: ${text}`);

function reportLine({ outlet, url, published_at, title }: FoundSignal['reports'][number]): string {
  const when = published_at === null ? '' : `, ${istTime(published_at)}`;
  return `- ${plainLine(outlet, 120)}${when}: ${quote(title, 300)} ${plainAddress(url) ?? ''}`.trimEnd();
}

/** What it says, why it matters, what to watch, its facts, every report. */
export function signalText(signal: SignalDetail, reports: FoundSignal['reports']): string {
  const { headline, deck, summary, why_it_matters, what_to_watch, key_facts, published_at } = signal;
  const told = [deck, summary].filter((text): text is string => text !== null && text !== headline);
  const shown = reports.slice(0, REPORTS_SHOWN);
  const more = reports.length - shown.length;
  return paragraphs(
    quote(headline),
    `${factLine(signal)}\nPublished here ${istTime(published_at)}\n${citeLine(signal)}`,
    [...new Set(told)].map((text) => quote(text)).join('\n'),
    section('Why it matters', why_it_matters === null ? null : quote(why_it_matters)),
    section('What to watch', what_to_watch === null ? null : quote(what_to_watch)),
    key_facts.length > 0 && `Key facts:\n${key_facts.map((fact) => `- ${quote(fact, 300)}`).join('\n')}`,
    `Reports:\n${shown.map(reportLine).join('\n')}${more > 0 ? `\n- and ${more} more on the page` : ''}`,
  );
}
