/** What a briefing makes of signals together: one entry for those of one event, and the days ahead that reports name. Pure. */
import { findDay } from '../../language/dates.ts';
import { DAY, dayInWords } from '../../language/days.ts';
import { escapeMarkdown, type Sentence } from '../draft.ts';
import { dayOf, type Evidence } from '../evidence.ts';
import { bullet, quoted } from './sentences.ts';

/** Signals of the same companies within so many days are of one event. */
const EVENT_DAYS = 30;

const isNear = (one: Evidence, other: Evidence): boolean =>
  Math.abs(Date.parse(one.moved_at) - Date.parse(other.moved_at)) <= EVENT_DAYS * DAY;

/** The companies of a signal as a key; null for one, whose signals are of many events. */
function companiesOf({ signal }: Evidence): string | null {
  const slugs = signal.brands.map(({ slug }) => slug);
  return slugs.length > 1 ? slugs.toSorted().join('+') : null;
}

/** Signals by the event that they are of, the weightiest first: those of the same companies, two or more, at about one time. */
export function eventsOf(evidence: readonly Evidence[]): Evidence[][] {
  const events: Evidence[][] = [];
  for (const one of evidence) {
    const companies = companiesOf(one);
    const event = events.find(
      ([first]) => first && companies && companiesOf(first) === companies && isNear(first, one),
    );
    if (event) event.push(one);
    else events.push([one]);
  }
  return events;
}

/** The signals of an event as one bullet, in the order of time. */
export function eventBullet(event: readonly Evidence[]): Sentence {
  const parts = event.toSorted((one, other) => (one.moved_at < other.moved_at ? -1 : 1)).map((one) => bullet(one));
  return {
    markdown: parts.map(({ markdown }) => markdown).join('; '),
    ids: [...new Set(parts.flatMap(({ ids }) => ids))],
    quotes: parts.flatMap(({ quotes }) => quotes),
  };
}

/** Days ahead that a briefing lists. */
const MAX_AHEAD = 8;

/**
 * What follows next: the lines of reports that name a day after the present one, the nearest first, one for each signal and day.
 * @param today IST day, `YYYY-MM-DD`
 */
export function aheadOf(evidence: readonly Evidence[], today: string): Sentence[] {
  const dated = evidence.flatMap((one) =>
    one.reports.flatMap((report) =>
      report.lines.flatMap((line) => {
        const day = findDay(line, dayOf(report, one));
        return day !== null && day > today ? [{ one, line, day }] : [];
      }),
    ),
  );
  const once = dated.filter(
    ({ one, day }, index) => dated.findIndex((other) => other.one === one && other.day === day) === index,
  );
  return once
    .toSorted((one, other) => (one.day < other.day ? -1 : 1))
    .slice(0, MAX_AHEAD)
    .map(({ one, line, day }) => quoted(one, [line], escapeMarkdown(dayInWords(day))));
}
