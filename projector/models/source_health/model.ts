/** Source health: the roster and how each source's polls go. */
import { readFileSync } from 'node:fs';
import { POLLS } from '../../../schemas/poll.ts';
import { SOURCE_PREFIX } from '../../../schemas/source.ts';
import type { Model } from '../../model.ts';
import { modelVersion } from '../../version.ts';
import { evolveSource, SOURCE_TYPES, sourceOf } from './evolve.ts';
import type { SourceHealthRow } from './row.ts';

const schema = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');

/** The model of sources: follows their streams and the topic of polls. */
export function sourceHealthModel(): Model<SourceHealthRow> {
  return {
    name: 'source_health',
    types: SOURCE_TYPES,
    prefixes: [SOURCE_PREFIX],
    topics: [POLLS],
    schema,
    version: modelVersion(import.meta.url, { schema }),
    keys: sourceOf,
    evolve: evolveSource,
    tables: [
      {
        name: 'sources',
        columns: [
          'listed',
          'outlet',
          'url',
          'kind',
          'paused',
          'cadence_seconds',
          'last_polled_at',
          'last_success_at',
          'last_item_at',
          'consecutive_failures',
          'last_error',
          'usual_gap_seconds',
          'hours',
        ],
        records: ({ source, retired, polls }) => [
          {
            listed: source !== null && !retired,
            outlet: source?.outlet ?? null,
            url: source?.url ?? null,
            kind: source?.kind ?? null,
            paused: source?.paused ?? false,
            cadence_seconds: polls?.cadence_seconds ?? source?.cadence_seconds ?? null,
            last_polled_at: polls?.last_polled_at ?? null,
            last_success_at: polls?.last_success_at ?? null,
            last_item_at: polls?.last_item_at ?? null,
            consecutive_failures: polls?.consecutive_failures ?? 0,
            last_error: polls?.last_error ?? null,
            usual_gap_seconds: polls?.usual_gap_seconds ?? null,
            hours: JSON.stringify(polls?.hours ?? []),
          },
        ],
      },
    ],
  };
}
