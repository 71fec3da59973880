import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { WAIT_OPTIONS } from './test/harness/wait-options.ts';

/** The files that take longest begin first, so that no worker is left with one of them at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ordered = [
      '/end-to-end/',
      '/eventstore-disturbances',
      '/embedded/',
      '/restored-log',
      '/log-pass',
      '/rebuild/bulk',
      '/hostile-reading',
      '/eventstore-faults',
      '/replay-topics',
      '/log/postgres/',
      '/log/eventstore',
      '/test/bin/',
      '/projector/',
      '',
    ];
    const rank = ({ moduleId }: TestSpecification): number => ordered.findIndex((part) => moduleId.includes(part));
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/** Tests that need more than Node and a registry (a browser, a broker) are named `*.external.test.ts`. */
export default defineConfig(({ mode }) => {
  const external = mode === 'external' || mode === 'chaos';
  const parts = mode === 'chaos' || mode === 'fuzz' ? `test/${mode}` : 'test/**';
  return {
    test: {
      include: [
        external ? `${parts}/*.external.test.ts` : `${parts}/*.test.ts`,
        // What is too long to be checked each time.
        ...(mode === 'chaos' ? [`${parts}/*.whole.ts`] : []),
      ],
      exclude: external ? configDefaults.exclude : [...configDefaults.exclude, 'test/**/*.external.test.ts'],
      env:
        mode === 'chaos' ? { CHAOS: 'whole' } : mode === 'fuzz' ? { FUZZ_RUNS: process.env.FUZZ_RUNS ?? '1000' } : {},
      globalSetup: [
        'test/harness/postgres.ts',
        ...(external ? ['test/harness/kafka.ts', 'test/harness/opensearch.ts'] : []),
      ],
      sequence: { sequencer: LongestFirst },
      pool: 'forks',
      // More than there are processors on most machines: much of what these tests do is to wait for other processes.
      maxWorkers: mode === 'chaos' ? 1 : external ? 2 : 4,
      // The files of a worker share the modules that they load: loading them again for each took a third of the time.
      // So a test leaves nothing behind in them; what it sets in the environment is taken back for it.
      isolate: external,
      unstubEnvs: true,
      // Far beyond what any takes on a quiet machine: only what hangs is ended by it.
      expect: { poll: WAIT_OPTIONS },
      testTimeout: 150_000,
      hookTimeout: 150_000,
    },
  };
});
