import { describe, expect, it } from 'vitest';
import { investigationsModel } from '../../../projector/models/ask-read-models.ts';
import type { AccountId } from '../../../schemas/access.ts';
import { specification, storedEvent } from '../given-when-then.ts';

const { given } = specification(investigationsModel());
const investigation_id = 'inv_0123456789abcdef';
const requested = storedEvent('ResearchRequested', {
  investigation_id,
  account_id: 'acc_0123456789abcdef' as AccountId,
  topic: 'Cafes',
  preset: 'standard',
  brands: [],
  themes: [],
  since: null,
  request_id: 'req_1',
});
const completed = (report_markdown: string) =>
  storedEvent('ResearchCompleted', { investigation_id, report_markdown, citations: [], cost_usd: 0.01 });
const failed = storedEvent('ResearchFailed', { investigation_id, error: 'Try again.' });

describe('the row of a briefing', () => {
  it('given nothing, when it is requested, is queued', () => {
    expect(given([]).when(requested).row(investigation_id)).toMatchObject({ status: 'queued', completed_at: null });
  });

  it('given a request, when it is completed, has the report; the first one stays', () => {
    const outcome = given([requested, completed('# Cafes')]).when(completed('# Other'));

    expect(outcome.row(investigation_id)).toMatchObject({
      status: 'completed',
      report_markdown: '# Cafes',
      cost_usd: 0.01,
    });
  });

  it('given a request, when it fails, says why', () => {
    const outcome = given([requested]).when(failed);

    expect(outcome.records('investigations', investigation_id)).toMatchObject([{ status: 'failed' }]);
    expect(outcome.row(investigation_id)?.error).toBe('Try again.');
  });

  it('given nothing, when it is completed, refuses it', () => {
    expect(given([]).when(completed('#')).refused).toHaveLength(1);
  });
});
