import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that need more than Node and a registry (a browser, a broker) are named `*.external.test.ts`. */
export default defineConfig(({ mode }) => {
  const external = mode === 'external';
  return {
    test: {
      include: [external ? 'test/**/*.external.test.ts' : 'test/**/*.test.ts'],
      exclude: external ? configDefaults.exclude : [...configDefaults.exclude, 'test/**/*.external.test.ts'],
      globalSetup: ['test/harness/postgres.ts'],
      pool: 'forks',
      maxWorkers: 2,
      testTimeout: 30_000,
      hookTimeout: 60_000,
    },
  };
});
