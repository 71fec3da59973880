/** Rows that cite a signal, and lists of them that may be cut. */
import { counted } from '../../presentation/text.ts';
import { plainAddress, plainLine, quote } from './quote.ts';
import { citeLine, istTime } from './signal-lines.ts';

export interface CitedRow {
  readonly signal: { readonly id: string; readonly url: string; readonly headline: string };
  readonly outlet: string | null;
  readonly source_url: string | null;
  readonly published_at: string;
}

/** `Daily Trade, 20 Nov 2026, 10:00 IST, https://… Cite: …`: who reports it, when it was published here, and its page. */
export function citedBy({ signal, outlet, source_url, published_at }: CitedRow): string {
  const address = source_url === null ? null : plainAddress(source_url);
  const report = [plainLine(outlet ?? 'outlet unknown', 120), istTime(published_at), address]
    .filter(Boolean)
    .join(', ');
  return `${report}. ${citeLine(signal)}`;
}

/** A row with the headline of its signal. */
export const citedRow = (said: string, row: CitedRow): string =>
  `- ${said}. ${quote(row.signal.headline)} ${citedBy(row)}`;

/**
 * How much of a list is shown, and how to get the rest.
 * @param what one of them, such as `opening`
 */
export function cutLine(
  tool: string,
  {
    shown,
    total,
    next_cursor,
  }: { readonly shown: number; readonly total: number; readonly next_cursor: string | null },
  what: string,
): string | null {
  if (shown >= total) return null;
  const more =
    next_cursor === null
      ? 'This is the last page.'
      : `More: call ${tool} again with the same arguments and cursor "${next_cursor}".`;
  return `${shown} of ${counted(total, what)} listed. ${more}`;
}

/** `Pune 4, Nagpur 1, and 3 more`, where only the first are named. */
export function firstOf(names: readonly string[], most: number): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
