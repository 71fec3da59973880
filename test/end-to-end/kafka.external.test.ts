/** Every process separately, on a real Kafka: killed, rebalanced, its broker restarted, with the same result. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { type Clarity, startClarity } from '../harness/clarity.ts';
import { testDatabase } from '../harness/database.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { type Broker, startBroker } from '../harness/kafka.ts';
import { startOutlets } from '../harness/outlets.ts';
import { seededRandom } from '../harness/random.ts';
import { runAllInOne } from './all-in-one.ts';
import { EVENTS, OUTLETS } from './rounds.ts';
import { type Ended, runRounds } from './run-rounds.ts';
import { ALL_MODELS_EQUAL } from './state.ts';

/** The processes, their number, and the round in which one of them is killed. */
const PROCESSES = [
  { name: 'poll', words: ['poll'], many: 1, killedIn: 3 },
  { name: 'understand', words: ['understand', '--serve'], many: 2, killedIn: 1 },
  { name: 'match', words: ['match'], many: 2, killedIn: 2 },
  { name: 'project', words: ['project'], many: 2, killedIn: 3 },
  { name: 'api', words: ['api'], many: 1, killedIn: 5 },
] as const;
const BROKER_RESTART = 4;

async function runOnKafka(broker: Broker, random: () => number, at: Date): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'clarity-kafka-run-'));
  const { url, close } = await testDatabase();
  const outlets = await startOutlets(OUTLETS);
  const roster = join(folder, 'roster.yaml');
  await writeFile(roster, outlets.roster());
  const settings = {
    ROSTER: roster,
    DATABASE_URL: url,
    KAFKA_BROKERS: broker.brokers,
    KAFKA_PARTITIONS: '4',
    PORT: String(await freePort()),
    BASE_URL: 'http://clarity.test',
    ALLOW_PRIVATE_SOURCES: '1',
    LOG_LEVEL: 'info',
  };
  const running = PROCESSES.flatMap(({ words, many, killedIn }) =>
    Array.from({ length: many }, (_, index) => ({ words, killedIn: index === 0 ? killedIn : -1 })),
  ).map((process) => ({ ...process, clarity: startClarity(process.words, settings) as Clarity }));
  try {
    return await runRounds(
      {
        settings,
        databaseUrl: async () => url,
        check: () => {
          for (const { clarity, words } of running)
            expect(clarity.process.exitCode, `${words.join(' ')}: ${clarity.output()}`).toBeNull();
        },
        disturb: async (round) => {
          for (const process of running.filter(({ killedIn }) => killedIn === round)) {
            await delay(random() * 1_500);
            await process.clarity.kill();
            process.clarity = startClarity(process.words, settings);
          }
          if (round !== BROKER_RESTART) return;
          // A process that starts without a broker exits with an error, as it should; here each one must lose a working broker.
          await Promise.all(
            running.map(({ clarity }) => eventually(() => expect(clarity.output()).toContain('"running"'))),
          );
          await broker.restart?.();
        },
      },
      outlets,
      at,
    );
  } finally {
    await Promise.all(running.map(({ clarity }) => clarity.stop()));
    await outlets.close();
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}

const broker = await startBroker();

describe('the whole program on Kafka', () => {
  if ('missing' in broker) {
    it.skip(`skipped: ${broker.missing}`, () => undefined);
    return;
  }
  afterAll(() => broker.stop());

  it('given killed processes and a restarted broker while items flow, then the result equals that of the all-in-one process', {
    timeout: 300_000,
  }, async () => {
    process.stdout.write(`Kafka is ${broker.kind}\n`);
    const { seed, random } = seededRandom();
    const at = new Date(Date.now() - 3_600_000);
    const allInOne = await runAllInOne(() => 0, random, at);
    const onKafka = await runOnKafka(broker, random, at);
    expect(Object.keys(allInOne.rows)).toHaveLength(EVENTS);
    expect(onKafka.events, `seed ${seed}`).toEqual(allInOne.events);
    expect(onKafka.rows, `seed ${seed}`).toEqual(allInOne.rows);
    expect(onKafka.models, `seed ${seed}`).toEqual(ALL_MODELS_EQUAL);
  });
});
