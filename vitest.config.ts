import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that need more than Node and a registry (a browser, a broker) are named `*.external.test.ts`. */
export default defineConfig(({ mode }) => {
  const external = mode === 'external' || mode === 'chaos';
  const parts = mode === 'chaos' || mode === 'fuzz' ? `test/${mode}` : 'test/**';
  return {
    test: {
      include: [external ? `${parts}/*.external.test.ts` : `${parts}/*.test.ts`],
      exclude: external ? configDefaults.exclude : [...configDefaults.exclude, 'test/**/*.external.test.ts'],
      env:
        mode === 'chaos' ? { CHAOS: 'whole' } : mode === 'fuzz' ? { FUZZ_RUNS: process.env.FUZZ_RUNS ?? '1000' } : {},
      globalSetup: ['test/harness/postgres.ts'],
      pool: 'forks',
      maxWorkers: 2,
      testTimeout: 30_000,
      hookTimeout: 60_000,
    },
  };
});
