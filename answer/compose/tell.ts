/** Sentences that tell one signal in its own words. */
import type { Evidence } from '../evidence.ts';
import { spoken } from '../question/days.ts';
import type { Sentence } from '../sentence.ts';
import { escapeMarkdown, quotation } from './markdown.ts';

/** The sentence that a signal adds to its headline: its summary, when that says more. */
const more = ({ signal: { headline, summary } }: Evidence): string | null =>
  summary !== null && !headline.includes(summary) && summary.length <= 400 ? summary : null;

const reported = ({ signal: { source, outlets } }: Evidence): string =>
  `${escapeMarkdown(source.outlet ?? 'a source')}${outlets > 1 ? ` and ${outlets - 1} more` : ''}`;

/** Ends a sentence that ends with a quotation, unless the quotation does. */
const ended = (text: string): string => (/[.!?…]”$/.test(text) ? text : `${text}.`);

/** `Mall Road reported on 9 November 2026: “…” — “…”.` */
export function tell(evidence: Evidence): Sentence {
  const { id, headline } = evidence.signal;
  const added = more(evidence);
  const texts = added ? [headline, added] : [headline];
  return {
    markdown: ended(`${reported(evidence)} reported on ${spoken(evidence.day)}: ${texts.map(quotation).join(' — ')}`),
    ids: [id],
    quotes: texts.map((text) => ({ id, text })),
  };
}

/** A bullet: date, outlet, quotation. */
export function bullet(evidence: Evidence): Sentence {
  const { id, headline } = evidence.signal;
  const added = more(evidence);
  const texts = added ? [headline, added] : [headline];
  return {
    markdown: `**${spoken(evidence.day)}** (${reported(evidence)}): ${texts.map(quotation).join(' — ')}`,
    ids: [id],
    quotes: texts.map((text) => ({ id, text })),
  };
}
