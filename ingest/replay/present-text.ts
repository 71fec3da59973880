/** The text that a signal would have, were its items understood by the present rules. Pure. */
import type { KnownEvent } from '../../schemas/events.ts';
import { eventId } from '../../schemas/scalar.ts';
import { type ItemName, isSameItem, type Report, revisedReport } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { textWith } from '../match/better.ts';

/** One wording of an item. */
export interface Version {
  /** Id of its ItemFound event. */
  readonly item_event: string;
  readonly time: string;
  readonly fingerprint: string;
  /** What it is understood as now; null for noise. */
  readonly story: KnownEvent<'StoryUnderstood'> | null;
}

export type VersionsOf = (item: ItemName) => readonly Version[];

export interface PresentText {
  readonly understanding: Understanding;
  readonly understood_by: string;
  /** The report whose text it is, and the event of its item. */
  readonly item_key: string;
  readonly source_id: string;
  readonly item_event: string;
}

type Telling = KnownEvent<'SignalDetected'> | KnownEvent<'SignalRevised'>;

/** The wording from whose story an event was made, known by the id that the story had. */
function causing(event: Telling, versions: readonly Version[]): Version | undefined {
  const rules = event.data.understood_by.split('+')[0] ?? '';
  return versions.find(({ item_event }) => eventId('story', item_event, rules) === event.causation_id);
}

const sameWording = (report: Report, versions: readonly Version[]): Version | undefined =>
  versions.find(({ fingerprint }) => fingerprint === report.fingerprint);

/**
 * Follows the texts of a signal from its first, each from its own wording of its item.
 * @returns null when it cannot be told: an item is stored no longer, is no move any more, or an operator wrote the text
 */
export function presentText(events: readonly KnownEvent[], versionsOf: VersionsOf): PresentText | null {
  const reports: Report[] = [];
  let text: PresentText | null = null;
  for (const event of events) {
    if (event.type === 'SignalReported') reports.push(event.data.report);
    if (event.type === 'SignalDetected') {
      const { report } = event.data;
      reports.push(report);
      text = textOf(causing(event, versionsOf(report)) ?? sameWording(report, versionsOf(report)));
    }
    if (event.type === 'SignalRevised') text = revised(text, event, reports, versionsOf);
  }
  return text;
}

function revised(
  text: PresentText | null,
  event: KnownEvent<'SignalRevised'>,
  reports: readonly Report[],
  versionsOf: VersionsOf,
): PresentText | null {
  const { reason } = event.data;
  if (reason === 'operator') return null;
  const report = revisedReport(event.data, reports, text ?? undefined);
  const versions = report ? versionsOf(report) : [];
  const cause = causing(event, versions);
  if (reason === 'edited') return textOf(cause);
  // One that no story led to was written by a replay: it says what the steps before it say in other rules' words.
  if (reason === 'understood_again') return cause ? textOf(cause) : text;
  const better = textOf(cause ?? (report && sameWording(report, versions)));
  const current = text && reports.findLast((one) => isSameItem(one, text));
  if (!text || !better || !report || !current) return null;
  // A merge took over a text that may itself be one of several reports: by the same rules it is what it was.
  const understanding =
    !cause && better.understood_by === event.data.understood_by
      ? event.data.after
      : textWith({ report: current, understanding: text.understanding }, { report, ...better });
  return { ...better, understanding };
}

function textOf(version: Version | undefined): PresentText | null {
  if (!version?.story) return null;
  const { item, understanding, understood_by } = version.story.data;
  return {
    understanding,
    understood_by,
    item_key: item.item_key,
    source_id: item.source_id,
    item_event: version.item_event,
  };
}
