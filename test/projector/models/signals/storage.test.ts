import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold, readForModel } from '../../../../projector/fold-events.ts';
import { type SignalRow, signalsModel } from '../../../../projector/models/signals-read-model.ts';
import { anyHistory } from '../../histories.ts';

const model = signalsModel({ baseUrl: 'https://clarity.test' });

describe('the stored rows of signals', () => {
  it('given any history, when a row is read back from its columns, then it is as it was', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const rows = new Map<string, SignalRow | null>();
        fold(model, readForModel(model, history).taken, rows);
        for (const [key, row] of rows) {
          if (!row) continue;
          const record = model.tables[0]?.records(row, key)[0] as Readonly<Record<string, string | null>>;

          const restored = model.storage?.restore({ ...record, key, row: model.storage.keep(row) });

          expect(restored).toEqual(row);
        }
        expect(rows.size).toBeGreaterThan(0);
      }),
    );
  });
});
