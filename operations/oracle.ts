/** `clarity oracle`: what the latest measurement of the coverage missed, and verdicts on reference items. */
import { z } from 'zod';
import { judgeReference } from '../ingest/oracle.ts';
import { latestMeasurement } from '../projector/models/review-queries.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { isMeasured, ORACLE_ENOUGH, type OracleMeasurement } from '../schemas/oracle.ts';
import { defineOperatorAction, type OperatorActions } from './operator-action.ts';
import { oneLine } from './terminal-text.ts';

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** A measurement with its misses, for a terminal. */
export function measurementText(measurement: OracleMeasurement): string {
  const { miss_rate, missed, checked, window_hours, slo, misses } = measurement;
  const share = `${percent(miss_rate)}, ${miss_rate <= slo ? 'within' : 'above'} ${percent(slo)}`;
  const verdict = isMeasured(measurement) ? share : `not measured yet, at least ${ORACLE_ENOUGH} are needed`;
  return [
    `missed ${missed} of ${checked} items of the last ${window_hours} hours: ${verdict}`,
    ...misses.map(
      ({ headline, outlet, url, nearest }, index) =>
        `\n${index + 1}. ${oneLine(headline, 200)} (${oneLine(outlet, 60)})\n   ${oneLine(url, 300)}\n` +
        (nearest ? `   nearest: ${nearest.signal_id}, score ${nearest.score}` : '   no similar signal'),
    ),
  ].join('\n');
}

const judge = defineOperatorAction({
  name: 'judge',
  summary: 'say whether a reference item is a move; the next measurement goes by it',
  input: z.object({
    url: z.string().describe('address of a reference item'),
    verdict: z.enum(['move', 'noise']).describe('move or noise'),
  }),
  positional: ['url', 'verdict'],
  audit: 'events',
  async run({ url, verdict }, { store, now, author }) {
    const judged = { url, is_move: verdict === 'move' };
    await judgeReference(store, { ...judged, by: author().by }, now());
    return judged;
  },
  text: () => '',
});

const misses = defineOperatorAction({
  name: 'misses',
  summary: 'list what the latest measurement missed, each with the nearest signal; or one of them',
  input: z.object({ number: z.number().int().min(1).optional().describe('number of a miss, from 1') }),
  positional: ['number'],
  audit: 'nothing',
  async run({ number }, { database }) {
    const latest = await latestMeasurement(database);
    if (!latest) throw new Refusal('invalid_request', 'nothing has been measured; run clarity oracle --once');
    if (number === undefined) return latest;
    const miss = latest.misses[number - 1];
    if (miss) return miss;
    throw new Refusal('invalid_request', `number: ${number} cannot be used. Allowed: 1 to ${latest.misses.length}.`);
  },
  text: (result) => ('misses' in result ? measurementText(result) : JSON.stringify(result, null, 2)),
});

export const ORACLE: OperatorActions = {
  name: 'oracle',
  summary: 'measure the coverage against the reference sources',
  actions: [judge, misses],
};
