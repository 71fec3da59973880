/** Signals in the order of the record: by IST day, newest first. */
import { html } from 'hono/html';
import type { SignalItem } from '../../schemas/resources.ts';
import type { Markup } from '../markup.ts';
import { dayParts, istDay } from '../time.ts';
import { signalEntry } from './signal-entry.ts';

/** Groups a list, which is newest first already, by the IST day of publication. */
export const byDay = (signals: readonly SignalItem[]): [day: string, signals: SignalItem[]][] => [
  ...Map.groupBy(signals, (signal) => istDay(signal.published_at)),
];

const dayHeading = (instant: string): Markup => {
  const { weekday, day, year } = dayParts(instant);
  return html`<header class="day-head"><h2><time datetime="${istDay(instant)}"><b>${weekday}</b>
    <span>${day} ${year}</span></time></h2></header>`;
};

export interface FeedStyle {
  /** The newest entry is set larger. */
  readonly leads?: boolean;
  /** The page asks for newer entries by itself, where scripts run. */
  readonly live?: boolean;
}

/** The days with their entries. */
export const feed = (
  signals: readonly SignalItem[],
  { leads = false, live = false }: FeedStyle = {},
): Markup => html`<div class="feed${leads ? ' leads' : ''}"${live ? html` data-live` : null}>
  ${byDay(signals).map(
    ([day, entries]) => html`<section class="day">
    ${dayHeading(entries[0]?.published_at ?? day)}
    <div class="entries">${entries.map((entry) => signalEntry(entry))}</div>
  </section>`,
  )}
</div>`;

/** The way to older entries and back to the newest, as plain links. */
export const pager = (newest: string | null, older: string | null): Markup | null =>
  newest === null && older === null
    ? null
    : html`<nav class="pager" aria-label="Pages">
  ${newest === null ? html`<span></span>` : html`<a href="${newest}">Back to the newest</a>`}
  ${older === null ? html`<span>The record begins here.</span>` : html`<a href="${older}" rel="next">Older entries</a>`}
</nav>`;
