import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold, readForModel } from '../../../../projector/fold-events.ts';
import { keptColumns, type SignalRow, signalsModel } from '../../../../projector/models/signals-read-model.ts';
import { anyHistory } from '../../histories.ts';

const model = signalsModel({ baseUrl: 'https://clarity.test' });

describe('the rows of signals', () => {
  it('come back from their columns as they were, whatever happened to them', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const rows = new Map<string, SignalRow | null>();
        fold(model, readForModel(model, history).taken, rows);
        for (const [key, row] of rows) {
          if (!row) continue;
          const record = model.tables[0]?.records(row, key)[0] ?? {};
          const kept = Object.fromEntries(keptColumns.map((column) => [column, record[column] as string | null]));

          const restored = model.storage?.restore({ ...kept, key, row: model.storage.keep(row) });

          expect(restored).toEqual(row);
        }
        expect(rows.size).toBeGreaterThan(0);
      }),
    );
  });
});
