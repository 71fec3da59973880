/** Inbox: the targets of each public signal. An account that follows a target finds the signal in its inbox. */
import { readFileSync } from 'node:fs';
import type { KnownEvent } from '../../schemas/events.ts';
import { targetKey } from '../../schemas/follow.ts';
import { laterOf } from '../../schemas/scalar.ts';
import { type Report, SIGNAL_PREFIX, type SignalStatus } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { isSignalEvent, SIGNAL_TYPES, touchedSignals } from '../../signal/signal-events.ts';
import { withStatus } from '../../signal/signal-status.ts';
import { modelVersion } from '../model-version.ts';
import type { Before, Model, TableRecord } from '../read-model.ts';

interface InboxRow {
  readonly status: SignalStatus;
  readonly published_at: string;
  readonly theme: string | null;
  /** Brands that it is about. */
  readonly brands: readonly string[];
  readonly follows: string | null;
  /** When each source first reported it; never before the signal was published. */
  readonly sources: Readonly<Record<string, string>>;
}

/** Applies an event to one of the signals that it touches. */
function evolveInbox(row: InboxRow | null, event: KnownEvent, key: string, before: Before<InboxRow>): InboxRow | null {
  if (!isSignalEvent(event)) return row;
  if (event.type === 'SignalDetected') {
    if (row) return row;
    const { status, published_at, understanding, report, follows } = event.data;
    const detected = { status, published_at, ...named(understanding), follows, sources: {} };
    return { ...detected, sources: withSource(detected, report) };
  }
  if (!row) throw new Error(`${event.type} of ${key} has no SignalDetected before it`);
  if (event.type === 'SignalMerged' && key !== event.data.signal_id)
    return {
      ...row,
      sources: { ...from(before(event.data.signal_id)?.sources ?? {}, row.published_at), ...row.sources },
    };
  if (event.type === 'SignalRevised') return { ...row, ...named(event.data.after) };
  if (event.type === 'SignalReported')
    return event.data.resurfaced ? row : { ...row, sources: withSource(row, event.data.report) };
  const next = withStatus(row, event);
  return next.published_at === row.published_at ? next : { ...next, sources: from(next.sources, next.published_at) };
}

const named = ({ theme, brands }: Understanding): Pick<InboxRow, 'theme' | 'brands'> => ({
  theme: theme?.slug ?? null,
  brands: [...new Set(brands.filter(({ role }) => role === 'primary').map(({ slug }) => slug))],
});

const withSource = (
  { sources, published_at }: InboxRow,
  { source_id, first_seen_at }: Report,
): InboxRow['sources'] => ({ [source_id]: laterOf(first_seen_at, published_at), ...sources });

/** Nothing is delivered before it is published. */
const from = (sources: InboxRow['sources'], publishedAt: string): InboxRow['sources'] =>
  Object.fromEntries(Object.entries(sources).map(([source, at]) => [source, laterOf(at, publishedAt)]));

const schema = readFileSync(new URL('./inbox.sql', import.meta.url), 'utf8');

function targetsOf({ status, published_at, theme, brands, follows, sources }: InboxRow): TableRecord[] {
  if (status !== 'public') return [];
  return [
    ...brands.map((brand) => ({ target: targetKey('brand', brand), at: published_at })),
    ...(theme ? [{ target: targetKey('theme', theme), at: published_at }] : []),
    ...(follows ? [{ target: targetKey('signal', follows), at: published_at }] : []),
    ...Object.entries(sources).map(([source, at]) => ({ target: targetKey('source', source), at })),
  ];
}

/** The model of inboxes. */
export function inboxModel(): Model<InboxRow> {
  return {
    name: 'inbox',
    types: SIGNAL_TYPES,
    prefixes: [SIGNAL_PREFIX],
    topics: [],
    schema,
    version: modelVersion(import.meta.url, { schema }),
    keys: touchedSignals,
    evolve: evolveInbox,
    tables: [
      { name: 'inbox_signals', columns: ['follows'], records: ({ follows }) => [{ follows }] },
      { name: 'signal_targets', columns: ['target', 'at'], records: targetsOf },
    ],
  };
}
