/** Meanings: what the reports of signals say, as the encoder computed it. Questions in other words are answered from it. */
import { itemName, type Report, type SignalStatus } from '../../schemas/signal.ts';
import type { ItemVector } from '../../schemas/story.ts';
import { bytesOf, MEANING_LENGTH, signsOf } from '../../signal/meaning.ts';
import { foldSignalsBy } from '../../signal/signal-status.ts';
import type { Model } from '../read-model.ts';
import { movedAt } from './search-read-model.ts';
import { defineSignalModel } from './signal-model.ts';

interface ReportMeaning {
  /** `itemName` of the report. */
  readonly item: string;
  readonly meaning: ItemVector;
}

interface MeaningsRow {
  readonly status: SignalStatus;
  readonly published_at: string;
  readonly first_seen_at: string;
  readonly event_at: string | null;
  /** Of its first reports. Empty for a signal of an earlier release, and where no encoder ran. */
  readonly reports: readonly ReportMeaning[];
}

/** Maximum of stored meanings: further reports of one event say the same. */
const MAX_REPORTS = 6;

/** The meaning of a report; none where it has none, or one of another length. */
const meaningOf = (report: Report): readonly ReportMeaning[] =>
  report.meaning && bytesOf(report.meaning.values).length === MEANING_LENGTH
    ? [{ item: itemName(report), meaning: report.meaning }]
    : [];

/** The row with further meanings; a later wording of a report takes the place of the earlier one. */
function withMeanings(row: MeaningsRow, more: readonly ReportMeaning[]): MeaningsRow {
  if (more.length === 0) return row;
  const all = new Map([...row.reports, ...more].map((one) => [one.item, one]));
  return { ...row, reports: [...all.values()].slice(0, MAX_REPORTS) };
}

const evolveMeanings = foldSignalsBy<MeaningsRow>({
  SignalDetected: ({ data: { status, published_at, understanding, report } }) => ({
    status,
    published_at,
    first_seen_at: report.first_seen_at,
    event_at: understanding.event_at,
    reports: meaningOf(report),
  }),
  SignalReported: (row, { data }) => (data.resurfaced ? row : withMeanings(row, meaningOf(data.report))),
  SignalRevised: (row, { data }) => ({ ...row, event_at: data.after.event_at }),
  SignalCorrected: (row, { data }) => ({ ...row, event_at: data.after.event_at }),
  SignalSplit: (row, { data }) => ({
    ...row,
    reports: row.reports.filter(({ item }) => item !== itemName(data.report)),
  }),
  absorbed: (row, merged) => withMeanings(row, merged?.reports ?? []),
});

/** The model of meanings. */
export const meaningsModel = (): Model<MeaningsRow> =>
  defineSignalModel(import.meta.url, {
    name: 'meanings',
    indexes: [
      'ALTER TABLE meaning_signs ADD PRIMARY KEY (key, number)',
      'CREATE INDEX meaning_signs_newest ON meaning_signs (moved_at)',
    ],
    evolve: evolveMeanings,
    tables: [
      { name: 'meanings', columns: [], records: () => [{}] },
      {
        name: 'meaning_signs',
        columns: ['number', 'moved_at', 'weights', 'signs'],
        records: (row) =>
          row.status === 'public'
            ? row.reports.map(({ meaning: { by, values } }, number) => ({
                number,
                moved_at: movedAt(row),
                weights: by,
                // As PostgreSQL reads bits.
                signs: `x${signsOf(values)}`,
              }))
            : [],
      },
    ],
  });
