/** What an event of a signal changed, in short lines for an operator. Pure; texts are those of the sources. */
import { isDeepStrictEqual } from 'node:util';
import type { KnownEvent } from '../../schemas/events.ts';
import type { Understanding } from '../../schemas/story.ts';

export interface Change {
  readonly field: string;
  /** Null where nothing stood before. */
  readonly before: string | null;
  readonly after: string | null;
}

const FIELDS: readonly (keyof Understanding)[] = [
  'headline',
  'deck',
  'summary',
  'key_facts',
  'delta',
  'move',
  'kind',
  'event_at',
  'theme',
  'brands',
  'cities',
  'mall',
  'people',
  'openings',
  'deal',
  'result',
];

const short = (value: unknown): string | null => {
  if (value === null || (Array.isArray(value) && value.length === 0)) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** The fields in which two texts differ. */
export const differences = (before: Understanding, after: Understanding): Change[] =>
  FIELDS.filter((field) => !isDeepStrictEqual(before[field], after[field])).map((field) => ({
    field,
    before: short(before[field]),
    after: short(after[field]),
  }));

const now = (field: string, after: string | null, before: string | null = null): Change => ({ field, before, after });

/** What the event changed, the text's fields one by one. */
export function changesOf(event: KnownEvent): Change[] {
  switch (event.type) {
    case 'SignalDetected': {
      const { status, status_reason, understanding, report, follows } = event.data;
      return [
        now('status', status_reason ? `${status}: ${status_reason}` : status),
        now('headline', understanding.headline),
        now('report', `${report.outlet}: ${report.title} ${report.url}`),
        ...(follows ? [now('follows', follows)] : []),
      ];
    }
    case 'SignalReported': {
      const { report, match, resurfaced } = event.data;
      return [
        now(resurfaced ? 'report (old news)' : 'report', `${report.outlet}: ${report.title} ${report.url}`),
        now('match', `${match.score}: ${match.reasons.join(', ')}`),
      ];
    }
    case 'SignalRevised':
      return [
        now('revision', `${event.data.revision}, ${event.data.reason}, by ${event.data.understood_by}`),
        ...differences(event.data.before, event.data.after),
      ];
    case 'SignalAnalysed':
      return [now('why_it_matters', event.data.why_it_matters), now('what_to_watch', event.data.what_to_watch)];
    case 'SignalHeld':
      return [now('status', `held by ${event.data.by}: ${event.data.why}`)];
    case 'SignalReleased':
      return [now('status', `public, released by ${event.data.by}: ${event.data.why}`)];
    case 'SignalJoined':
      return [now('joined', `by ${event.data.joined}, merged into this signal by ${event.data.by}: ${event.data.why}`)];
    case 'SignalMerged':
      return [
        now(
          'status',
          `merged into ${event.data.into} (${event.data.into_slug}) by ${event.data.by}: ${event.data.why}`,
        ),
      ];
    default:
      return [];
  }
}
