/**
 * Every process runs separately under faults: killed, frozen, suspended until another has taken over, disconnected, its clock set to another day, its database
 * slow, unreachable, crashed or its disk full. Then the read models equal those of an undisturbed run, and no reader got a wrong
 * response. `npm run chaos` runs everything, with Kafka where there is a broker; the short form, with topics in PostgreSQL,
 * runs with the external tests.
 */
import { describe, expect, it } from 'vitest';
import { runAllInOne } from '../end-to-end/all-in-one.ts';
import { EVENTS, OUTLETS, ROUNDS } from '../end-to-end/rounds.ts';
import { type Ended, runRounds } from '../end-to-end/run-rounds.ts';
import { ALL_MODELS_EQUAL } from '../end-to-end/state.ts';
import { type Broker, startBroker } from '../harness/kafka.ts';
import { seededRandom } from '../harness/random.ts';
import { deploy } from './deployment.ts';
import { type Disturbed, disturb } from './disturb.ts';
import { startReader } from './reader.ts';

/** Set by `vitest.config.ts`. */
const WHOLE = process.env.CHAOS === 'whole';
/** Processes that are killed in one run. */
const KILLS = Number(process.env.CHAOS_KILLS ?? (WHOLE ? 200 : 14));
/** The kills of the process of `npm start` in each round; `npm test` kills it once. */
const KILLS_OF_ALL_IN_ONE = 3;
const HOUR = 3_600_000;

interface Outcome extends Ended {
  readonly wrong: readonly string[];
  readonly answered: number;
}

const summaryOf = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([name, many]) => `${many} ${name}`).join(', ');

async function runDisturbed(broker: Broker | null, random: () => number, at: Date): Promise<Outcome> {
  const deployed = await deploy(OUTLETS, broker ? { KAFKA_BROKERS: broker.brokers, KAFKA_PARTITIONS: '4' } : {}, true);
  const { processes, outlets, databaseUrl } = deployed;
  const reader = startReader(deployed.url, deployed.key);
  const dealt = new Map<string, number>();
  const about: Disturbed = { ...deployed, restartKafka: broker?.restart ?? null, suspends: WHOLE };
  try {
    const ended = await runRounds(
      {
        settings: deployed.settings,
        databaseUrl: async () => databaseUrl,
        // A process that starts without a database may exit; this test restarts it, as an orchestrator would.
        check: () => undefined,
        timeoutMs: 180_000,
        disturb: () => disturb(about, Math.ceil(KILLS / ROUNDS), random, dealt),
      },
      outlets,
      at,
    );
    await reader.stop();
    process.stdout.write(
      `${summaryOf(dealt)}; answers ${summaryOf(reader.answers)}; ${processes.ended.length} ended by themselves\n`,
    );
    return { ...ended, wrong: reader.wrong, answered: reader.answers.get('200') ?? 0 };
  } catch (error) {
    process.stdout.write(`${summaryOf(dealt)}\n${processes.ended.join('\n')}\n${processes.lastWords()}\n`);
    throw error;
  } finally {
    await reader.stop();
    await deployed.stop();
  }
}

async function compare(broker: Broker | null): Promise<void> {
  const { seed, random } = seededRandom();
  const at = new Date(Date.now() - HOUR);
  const undisturbed = await runAllInOne(() => 0, random, at);
  const disturbed = await runDisturbed(broker, random, at);
  expect(Object.keys(undisturbed.rows)).toHaveLength(EVENTS);
  expect(disturbed.events, `seed ${seed}`).toEqual(undisturbed.events);
  expect(disturbed.rows, `seed ${seed}`).toEqual(undisturbed.rows);
  expect(disturbed.models, `seed ${seed}`).toEqual(ALL_MODELS_EQUAL);
  expect(disturbed.wrong, `seed ${seed}`).toEqual([]);
  expect(disturbed.answered).toBeGreaterThan(0);
}

/** Generous for a busy machine; on an idle one it takes a fraction. */
const LONGEST = 900_000 + KILLS * 10_000;

describe('the one process of `npm start`', () => {
  it(`given ${KILLS_OF_ALL_IN_ONE * ROUNDS} kills at random moments, then the result equals that of an undisturbed run`, {
    timeout: LONGEST,
  }, async () => {
    const { seed, random } = seededRandom();
    const at = new Date(Date.now() - HOUR);
    const undisturbed = await runAllInOne(() => 0, random, at);
    const killed = await runAllInOne(() => KILLS_OF_ALL_IN_ONE, random, at);
    expect(killed.killed).toBe(KILLS_OF_ALL_IN_ONE * ROUNDS);
    expect(killed.events, `seed ${seed}`).toEqual(undisturbed.events);
    expect(killed.rows, `seed ${seed}`).toEqual(undisturbed.rows);
    expect(killed.models, `seed ${seed}`).toEqual(ALL_MODELS_EQUAL);
  });
});

describe('every process, under random faults', () => {
  it(
    `given ${KILLS} kills and topics in PostgreSQL, then the result equals that of an undisturbed run`,
    { timeout: LONGEST },
    () => compare(null),
  );

  if (WHOLE)
    it(`given ${KILLS} kills and topics in Kafka, then the result equals that of an undisturbed run`, {
      timeout: LONGEST,
    }, async () => {
      const broker = await startBroker();
      if ('missing' in broker) return void process.stdout.write(`not run on Kafka: ${broker.missing}\n`);
      try {
        await compare(broker);
      } finally {
        await broker.stop();
      }
    });
});
