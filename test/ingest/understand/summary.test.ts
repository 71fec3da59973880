import { describe, expect, it } from 'vitest';
import { sharedEncoder } from '../../../ingest/understand/encoder/item-encoder.ts';
import { chooseSummary, judgeSentences } from '../../../ingest/understand/summary.ts';

async function summaryOf(title: string, summary: string): Promise<string | null> {
  const encode = await sharedEncoder();
  return chooseSummary(await judgeSentences(title, summary, await encode({ title, summary }), encode));
}

const MOVE =
  'Orchid Home has raised ₹120 crore in a Series B round led by Kestrel Partners to open stores in the south.';
const BACKGROUND = 'The market for home furnishing is seen growing at a steady pace over the decade as incomes rise.';
const SIDE = 'Nearly forty looms in Panipat supply the mills, which export to a dozen countries.';

describe('the sentence that sums up a story', () => {
  it.each([
    ['the move alone', MOVE],
    ['background before it', `${BACKGROUND} ${MOVE}`],
    ['another matter before it', `${SIDE} ${MOVE}`],
    ['background after it', `${MOVE} ${BACKGROUND}`],
  ])('given %s, then it is the sentence of the move', async (_, text) => {
    expect(await summaryOf('Orchid Home raises ₹120 Cr led by Kestrel Partners', text)).toBe(MOVE);
  });

  it.each([
    ['background', BACKGROUND],
    ['another matter', SIDE],
    ['nothing', ''],
  ])('given %s alone, then there is none', async (_, text) => {
    expect(await summaryOf('Orchid Home raises ₹120 Cr led by Kestrel Partners', text)).toBeNull();
  });
});
