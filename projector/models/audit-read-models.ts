/** The audit log, one row for each event of an operator, and their names, which go when an account is erased. */
import { ACCOUNT_PREFIX, accountOfAddress, OPERATION_PREFIX, OPERATIONS } from '../../schemas/access.ts';
import { CATALOGUE_PREFIX } from '../../schemas/catalogue.ts';
import type { EventType, KnownEvent } from '../../schemas/events.ts';
import { ORACLE_PREFIX } from '../../schemas/oracle.ts';
import { BRAND_PREFIX } from '../../schemas/resources.ts';
import { fieldsOf, SIGNAL_PREFIX } from '../../schemas/signal.ts';
import { PROPOSAL_PREFIX, SOURCE_PREFIX } from '../../schemas/source.ts';
import { defineModel, type Model } from '../read-model.ts';

/** Events that commands of operators leave, each with the name of the action. */
const ACTIONS = {
  SourceAdded: 'source_added',
  SourceChanged: 'source_changed',
  SourceMoved: 'source_moved',
  SourceRetired: 'source_retired',
  ProposalAccepted: 'proposal_accepted',
  ProposalRejected: 'proposal_rejected',
  SignalReleased: 'signal_released',
  SignalHeld: 'signal_held',
  SignalRetracted: 'signal_retracted',
  SignalCorrected: 'signal_corrected',
  SignalConfirmed: 'signal_confirmed',
  SignalSplit: 'signal_split',
  SignalMerged: 'signal_merged',
  BrandPromoted: 'brand_promoted',
  BrandRefused: 'brand_refused',
  OracleJudged: 'reference_judged',
  CatalogueEntryAdded: 'catalogue_added',
  CatalogueEntryChanged: 'catalogue_changed',
  CatalogueEntryMerged: 'catalogue_merged',
  CatalogueEntryRetired: 'catalogue_retired',
  CatalogueEntryRestored: 'catalogue_restored',
  AccountOpened: 'account_opened',
  PlanChanged: 'plan_changed',
  KeyIssued: 'key_issued',
  KeyRevoked: 'key_revoked',
  AccountErased: 'account_erased',
  ApplicationApproved: 'application_approved',
  ApplicationRejected: 'application_rejected',
} as const satisfies Partial<Record<EventType, string>>;

type Action = (typeof ACTIONS)[keyof typeof ACTIONS] | (typeof OPERATIONS)[number];

/** Every action of the log. */
export const AUDIT_ACTIONS: readonly Action[] = [...Object.values(ACTIONS), ...OPERATIONS];

/** Who is no operator: parts of the service, owners of accounts, and the demo newsroom. */
const OTHERS: ReadonlySet<string> = new Set([
  'match',
  'replay',
  'poller',
  'owner',
  'erasure',
  'first start',
  'demo newsroom',
]);

export interface AuditRow {
  readonly at: string;
  readonly actor: string;
  readonly action: Action;
  readonly subject: string;
  readonly detail: string | null;
  readonly why: string | null;
}

type ActEvent = KnownEvent<keyof typeof ACTIONS | 'OperationRecorded'>;
const TYPES = [...(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]), 'OperationRecorded'] as const;
const isAct = (event: KnownEvent): event is ActEvent => (TYPES as readonly string[]).includes(event.type);

/** The name of the operator behind an event; null for what no operator did. Pages and commands write it in two forms. */
function operatorIn(event: KnownEvent): string | null {
  if (!isAct(event)) return null;
  // A merge takes over a correction that was logged when it was made.
  if (event.type === 'SignalCorrected' && event.data.taken_from) return null;
  const name = event.data.by.replace(/^operator /, '');
  return OTHERS.has(name) ? null : name;
}

/** What it was done to, and what was done more closely. */
function aboutOf(event: ActEvent): readonly [subject: string, detail: string | null] {
  switch (event.type) {
    case 'SourceAdded':
    case 'SourceChanged':
      return [
        event.data.source.id,
        event.data.source.paused ? `${event.data.source.url}, paused` : event.data.source.url,
      ];
    case 'SourceMoved':
      return [event.data.source_id, event.data.to];
    case 'SourceRetired':
      return [event.data.source_id, null];
    case 'ProposalAccepted':
      return [event.data.proposal_id, `as ${event.data.source_id}`];
    case 'ProposalRejected':
      return [event.data.proposal_id, null];
    case 'SignalCorrected':
      return [event.data.signal_id, fieldsOf(event.data.corrected).join(', ')];
    case 'SignalSplit':
      return [event.data.signal_id, `${event.data.report.outlet}: ${event.data.report.title} into ${event.data.into}`];
    case 'SignalMerged':
      return [event.data.signal_id, `into ${event.data.into}`];
    case 'SignalReleased':
    case 'SignalHeld':
    case 'SignalRetracted':
    case 'SignalConfirmed':
      return [event.data.signal_id, null];
    case 'BrandPromoted':
    case 'BrandRefused':
      return [event.data.slug, event.data.name];
    case 'CatalogueEntryAdded':
      return [event.data.entry.slug, `${event.data.kind} ${event.data.entry.name}`];
    case 'CatalogueEntryChanged':
      return [event.data.after.slug, `${event.data.kind}: ${changedFields(event.data).join(', ')}`];
    case 'CatalogueEntryMerged':
      return [event.data.slug, `${event.data.kind}, into ${event.data.into}`];
    case 'CatalogueEntryRetired':
    case 'CatalogueEntryRestored':
      return [event.data.slug, event.data.kind];
    case 'OracleJudged':
      return [event.data.url, event.data.is_move ? 'a move' : 'no move'];
    case 'PlanChanged':
      return [event.data.account_id, `from ${event.data.from} to ${event.data.to}`];
    case 'KeyIssued':
    case 'KeyRevoked':
      return [event.data.account_id, event.data.key_id];
    case 'ApplicationApproved':
    case 'ApplicationRejected':
      return [event.data.account_id, event.data.application_id];
    case 'AccountOpened':
    case 'AccountErased':
      return [event.data.account_id, null];
    case 'OperationRecorded':
      return [event.data.subject, null];
  }
}

const changedFields = ({ before, after }: { readonly before: object; readonly after: object }): string[] => {
  const [was, becomes] = [Object.entries(before), Object.entries(after)].map(
    (fields) => new Map(fields.map(([name, value]) => [name, JSON.stringify(value)])),
  );
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => was?.get(name) !== becomes?.get(name),
  );
};

const whyOf = ({ data }: ActEvent): string | null => ('why' in data ? data.why || null : null);

const PREFIXES = [
  ACCOUNT_PREFIX,
  BRAND_PREFIX,
  CATALOGUE_PREFIX,
  OPERATION_PREFIX,
  ORACLE_PREFIX,
  PROPOSAL_PREFIX,
  SIGNAL_PREFIX,
  SOURCE_PREFIX,
];

/** The model of what was done: one row for each event, which never changes. */
export function auditModel(): Model<AuditRow> {
  return defineModel(import.meta.url, {
    name: 'audit',
    types: TYPES,
    prefixes: PREFIXES,
    indexes: [
      'CREATE INDEX audit_newest ON audit (at, key)',
      'CREATE INDEX audit_actor ON audit (actor, at, key)',
      'CREATE INDEX audit_subject ON audit (subject, at, key)',
    ],
    keys: (event) => (operatorIn(event) === null ? [] : [event.id]),
    evolve(row, event) {
      const name = operatorIn(event);
      if (row || name === null || !isAct(event)) return row;
      const [subject, detail] = aboutOf(event);
      const action = event.type === 'OperationRecorded' ? event.data.operation : ACTIONS[event.type];
      const actor = accountOfAddress(name) ?? name;
      return { at: event.time, actor, action, subject, detail, why: whyOf(event) };
    },
    tables: [
      {
        name: 'audit',
        columns: ['at', 'actor', 'action', 'subject', 'detail', 'why'],
        records: ({ at, actor, action, subject, detail, why }) => [{ at, actor, action, subject, detail, why }],
      },
    ],
  });
}

/** The account of an operator whom an event names by e-mail address; null for none. */
const actorIn = (event: KnownEvent): string | null => {
  const name = operatorIn(event);
  return name === null ? null : accountOfAddress(name);
};

/** The model of the names of operators who have accounts. */
export function auditActorsModel(): Model<{ readonly name: string }> {
  return defineModel(import.meta.url, {
    name: 'audit_actors',
    types: TYPES,
    prefixes: PREFIXES,
    keys(event) {
      const erased = event.type === 'AccountErased' ? [event.data.account_id] : [];
      return [...new Set([...erased, actorIn(event) ?? []].flat())];
    },
    evolve(row, event, key) {
      if (event.type === 'AccountErased' && event.data.account_id === key) return null;
      const name = operatorIn(event);
      return name === null || actorIn(event) !== key || row?.name === name ? row : { name };
    },
    tables: [{ name: 'audit_actors', columns: ['name'], records: ({ name }) => [{ name }] }],
  });
}
