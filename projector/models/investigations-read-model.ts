/** Investigations: research briefings, one row each. */
import { readFileSync } from 'node:fs';
import { type AccountId, ERASED } from '../../schemas/access.ts';
import { INVESTIGATION_PREFIX, type Investigation } from '../../schemas/ask.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { modelVersion } from '../model-version.ts';
import type { Model } from '../read-model.ts';

const INVESTIGATION_TYPES = ['ResearchRequested', 'ResearchCompleted', 'ResearchFailed', 'ResearchErased'] as const;
type InvestigationEvent = KnownEvent<(typeof INVESTIGATION_TYPES)[number]>;

interface InvestigationRow extends Omit<Investigation, 'id' | 'report_url' | 'citation_count'> {
  readonly account: AccountId | typeof ERASED;
}

const isInvestigationEvent = (event: KnownEvent): event is InvestigationEvent =>
  (INVESTIGATION_TYPES as readonly string[]).includes(event.type);

/** The briefing that an event is of. */
const investigationOf = (event: KnownEvent): readonly string[] =>
  isInvestigationEvent(event) ? [event.data.investigation_id] : [];

/** The briefing after an event. One that was completed or failed stays so. */
function evolveInvestigation(row: InvestigationRow | null, event: KnownEvent): InvestigationRow | null {
  if (!isInvestigationEvent(event)) return row;
  if (event.type === 'ResearchRequested') {
    const { account_id: account, topic, preset } = event.data;
    const waiting = { status: 'queued', completed_at: null, report_markdown: null, error: null } as const;
    return row ?? { account, topic, preset, created_at: event.time, ...waiting, citations: [], cost_usd: 0 };
  }
  if (!row) throw new Error(`${event.type} of ${event.data.investigation_id} has no ResearchRequested before it`);
  if (event.type === 'ResearchErased')
    return {
      ...row,
      account: ERASED,
      topic: ERASED,
      status: 'failed',
      completed_at: row.completed_at ?? event.time,
      report_markdown: null,
      citations: [],
      error: 'The account that asked for this briefing was erased.',
    };
  if (row.status !== 'queued') return row;
  if (event.type === 'ResearchFailed')
    return { ...row, status: 'failed', completed_at: event.time, error: event.data.error };
  const { report_markdown, citations, cost_usd } = event.data;
  return { ...row, status: 'completed', completed_at: event.time, report_markdown, citations, cost_usd };
}

const schema = readFileSync(new URL('./investigations.sql', import.meta.url), 'utf8');

/** Created after the rows. */
const indexes = [
  'CREATE INDEX investigations_of_account ON investigations (account, created_at)',
  `CREATE INDEX investigations_queued ON investigations (created_at) WHERE status = 'queued'`,
];
const INVESTIGATIONS = 'investigations';

/** The model of investigations. */
export function investigationsModel(): Model<InvestigationRow> {
  return {
    name: INVESTIGATIONS,
    types: INVESTIGATION_TYPES,
    prefixes: [INVESTIGATION_PREFIX],
    topics: [],
    schema,
    indexes,
    version: modelVersion(import.meta.url, { schema }),
    keys: investigationOf,
    evolve: evolveInvestigation,
    tables: [
      {
        name: 'investigations',
        columns: ['account', 'status', 'created_at'],
        records: ({ account, status, created_at }) => [{ account, status, created_at }],
      },
    ],
  };
}
