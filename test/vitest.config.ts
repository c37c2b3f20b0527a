import { defineConfig } from 'vitest/config'

const shared = { root: new URL('..', import.meta.url).pathname, pool: 'forks', hookTimeout: 120_000 } as const
const JOURNEYS = 'test/journeys/**/*.test.ts'

export default defineConfig({
  test: {
    maxWorkers: 2,
    coverage: { include: ['shared/**', 'functions/**', 'infra/**'], reporter: ['text-summary'] },
    projects: [
      {
        test: {
          ...shared,
          name: 'suites',
          include: ['test/**/*.test.ts'],
          exclude: [JOURNEYS],
          isolate: false,
          setupFiles: ['test/support/fresh-process.ts'],
          testTimeout: 120_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Real processes on the real clock: they run last and alone, so that nothing else makes them wait.
        test: {
          ...shared,
          name: 'journeys',
          include: [JOURNEYS],
          testTimeout: 240_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
