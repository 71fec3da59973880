/** `clarity trace` and `clarity migrate` as an operator runs them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMigrate } from '../../../bin/commands/processes.ts';
import { TRACE } from '../../../operations/labels.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { type Engine, testEngine } from '../../projector/engine.ts';
import { detected, idOf } from '../../projector/signal-events.ts';
import { runCommand } from '../run-command.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
  await engine.add(signalStream(idOf('one')), detected('one'));
});
afterAll(() => engine.close());

describe('clarity trace', () => {
  it('given a signal that no read model shows yet, shows its events and that no page shows it', async () => {
    const { code, output } = await runCommand(TRACE, ['trace', idOf('one')], engine.url);
    expect(code).toBe(0);
    expect(output).toContain(`SignalDetected  ${idOf('one')}`);
    expect(output).toContain(`no page shows ${idOf('one')}`);
  });

  it('given an unknown address, says so and ends with 2', async () => {
    const { code, output } = await runCommand(TRACE, ['trace', 'https://nobody.example/'], engine.url);
    expect([code, output]).toEqual([2, expect.stringContaining('nothing is stored about')]);
  });
});

describe('clarity migrate', () => {
  it('given a database, creates what is missing; a second run changes nothing', async () => {
    for (let time = 0; time < 2; time++) {
      const { code, output } = await runCommand(addMigrate, ['migrate'], engine.url);
      expect([code, output]).toEqual([0, 'the tables are up to date\n']);
    }
    const { rows } = await engine.database.query(`SELECT to_regclass('read.signals') IS NOT NULL AS there`);
    expect(rows).toEqual([{ there: true }]);
  });
});
