/** The changes of the catalogue in their order, and how far the stories that they affect are understood again. */
import { accountOfAddress } from '../../schemas/access.ts';
import {
  CATALOGUE_CHANGES,
  CATALOGUE_PREFIX,
  type CatalogueProgress,
  UNDERSTOOD_PREFIX,
} from '../../schemas/catalogue.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { defineModel, type Model } from '../read-model.ts';

type ChangeEvent = KnownEvent<(typeof CATALOGUE_CHANGES)[number]>;

/** A change as it was stored, but for the name of its author: that is in `audit_actors`, and goes when the account is erased. */
interface ChangeRow {
  readonly change: ChangeEvent;
}
interface ProgressRow {
  readonly progress: CatalogueProgress;
  readonly at: string;
}
type CatalogueRow = ChangeRow | ProgressRow;

const isProgress = (row: CatalogueRow): row is ProgressRow => 'progress' in row;

const isChange = (event: KnownEvent): event is ChangeEvent =>
  (CATALOGUE_CHANGES as readonly string[]).includes(event.type);

/** The slug by which the history of an entry lists a change. */
function slugOf({ type, data }: ChangeEvent): string {
  if (type === 'CatalogueEntryAdded') return data.entry.slug;
  return type === 'CatalogueEntryChanged' ? data.after.slug : data.slug;
}

const schema = `CREATE TABLE catalogue_changes (
  -- change:<number>
  key text COLLATE "C" PRIMARY KEY,
  row text NOT NULL,
  -- Null in the row of the progress.
  number integer,
  kind text,
  slug text,
  type text,
  at timestamptz NOT NULL,
  -- The account of an e-mail address, whose name is in audit_actors; else the name itself.
  actor text,
  why text,
  -- The event, or the progress, as JSON.
  event text NOT NULL
);`;

/** The model of the catalogue. */
export function catalogueModel(): Model<CatalogueRow> {
  return defineModel(import.meta.url, {
    name: 'catalogue',
    types: [...CATALOGUE_CHANGES, 'CatalogueUnderstood'],
    prefixes: [CATALOGUE_PREFIX, UNDERSTOOD_PREFIX],
    schema,
    indexes: ['CREATE INDEX catalogue_changes_in_order ON catalogue_changes (number)'],
    keys(event) {
      if (isChange(event)) return [`change:${event.data.number}`];
      return event.type === 'CatalogueUnderstood' ? ['progress'] : [];
    },
    evolve(row, event) {
      if (event.type === 'CatalogueUnderstood') return { progress: event.data, at: event.time };
      if (!isChange(event)) return row;
      const { id, type, version, time, causation_id, correlation_id, data } = event;
      const by = accountOfAddress(data.by) ?? data.by;
      return {
        change: { id, type, version, time, causation_id, correlation_id, data: { ...data, by } } as ChangeEvent,
      };
    },
    tables: [
      {
        name: 'catalogue_changes',
        columns: ['number', 'kind', 'slug', 'type', 'at', 'actor', 'why', 'event'],
        records(row) {
          if (isProgress(row)) {
            const nothing = { number: null, kind: null, slug: null, type: null, actor: null, why: null };
            return [{ ...nothing, at: row.at, event: JSON.stringify(row.progress) }];
          }
          const { type, time, data } = row.change;
          return [
            {
              number: data.number,
              kind: data.kind,
              slug: slugOf(row.change),
              type,
              at: time,
              actor: data.by,
              why: data.why,
              event: JSON.stringify(row.change),
            },
          ];
        },
      },
    ],
  });
}
