/** What each event of a signal does to its row. */
import type { KnownEvent } from '../../../schemas/events.ts';
import { type ItemName, isSameItem, type Report, revisedReport } from '../../../schemas/signal.ts';
import type { Understanding } from '../../../schemas/story.ts';
import type { Before } from '../../model.ts';
import { isSignalEvent, type SignalEvent, withStatus } from '../status.ts';
import type { KeptReport, SignalRow, Text } from './row.ts';

/** An event of a signal that was never detected. */
const undetected = (event: KnownEvent, key: string): Error =>
  new Error(`${event.type} speaks of ${key}, of which no SignalDetected is known`);

/** Applies an event to the row of one of the signals that it touches. */
export function evolveSignal(
  row: SignalRow | null,
  event: KnownEvent,
  key: string,
  before: Before<SignalRow>,
): SignalRow | null {
  if (!isSignalEvent(event)) return row;
  if (event.type === 'SignalDetected') return row ?? detected(event.data);
  if (!row) throw undetected(event, key);
  if (event.type === 'SignalMerged' && key !== event.data.signal_id) {
    // The reports that it takes over came by events of their own, which say whether they count.
    const isNew = (report: KeptReport): boolean => !row.reports.some((known) => isSameItem(known, report));
    const taken = before(event.data.signal_id)?.reports.filter(isNew) ?? [];
    return taken.length === 0 ? row : { ...row, reports: [...row.reports, ...taken] };
  }
  return withStatus(told(row, event), event);
}

/** What the event says besides the status. */
function told(row: SignalRow, event: SignalEvent): SignalRow {
  switch (event.type) {
    case 'SignalReported':
      return { ...row, reports: withReport(row.reports, kept(event.data.report, event.data.resurfaced)) };
    case 'SignalRevised': {
      const { revision, reason, before, after, item_key, source_id } = event.data;
      if (row.revisions.some((known) => known.revision === revision)) return row;
      const teller = revisedReport(event.data, row.reports, row.told_by);
      const toldBy = nameOf(teller ?? { source_id: source_id ?? row.told_by.source_id, item_key });
      const { headline, summary, delta } = before;
      const replaced = { revision, at: event.time, reason, headline, summary, delta };
      return { ...row, text: textOf(after), told_by: toldBy, revisions: [...row.revisions, replaced] };
    }
    case 'SignalAnalysed': {
      const { why_it_matters, what_to_watch } = event.data;
      return { ...row, why_it_matters, what_to_watch };
    }
    case 'SignalHeld':
      return { ...row, status_reason: event.data.why };
    case 'SignalReleased':
      return { ...row, status_reason: null };
    case 'SignalMerged':
      return { ...row, merged_into: event.data.into };
    default:
      return row;
  }
}

const detected = (data: Extract<SignalEvent, { type: 'SignalDetected' }>['data']): SignalRow => ({
  id: data.signal_id,
  slug: data.slug,
  status: data.status,
  status_reason: data.status_reason,
  published_at: data.published_at,
  text: textOf(data.understanding),
  told_by: nameOf(data.report),
  reports: [kept(data.report, data.status === 'resurfaced')],
  revisions: [],
  why_it_matters: null,
  what_to_watch: null,
  follows: data.follows,
  merged_into: null,
});

const nameOf = ({ source_id, item_key }: ItemName): ItemName => ({ source_id, item_key });

const textOf = (understanding: Understanding): Text => {
  const { headline, deck, summary, key_facts, delta, move, kind, theme, event_at, cities } = understanding;
  const brands = understanding.brands.map(({ name, slug, role }) => ({ name, slug, role }));
  return { headline, deck, summary, key_facts, delta, move, kind, theme, event_at, brands, cities };
};

const kept = (report: Report, resurfaced: boolean): KeptReport => {
  const { item_key, source_id, outlet, url, title, published_at, first_seen_at } = report;
  return { item_key, source_id, outlet, url, title, published_at, first_seen_at, resurfaced };
};

/** Adds a report; one item told twice stays one report, in the words it was told last. */
function withReport(reports: readonly KeptReport[], report: KeptReport): readonly KeptReport[] {
  const same = (known: KeptReport): boolean => isSameItem(known, report);
  const known = reports.find(same);
  if (!known) return [...reports, report];
  // An item that counted before goes on counting.
  const told = { ...report, first_seen_at: known.first_seen_at, resurfaced: known.resurfaced && report.resurfaced };
  return reports.map((other) => (same(other) ? told : other));
}
