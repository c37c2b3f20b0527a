import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { CostReporter } from './support/cost-reporter.ts'

export const SHARED = {
  root: new URL('..', import.meta.url).pathname,
  pool: 'forks',
  hookTimeout: 120_000,
  // Node runs the sources as they are, as `npm start` does: nothing is transformed, and no test mocks a module.
  experimental: { viteModuleRunner: false, nodeLoader: false },
} as const
/** Test files whose processes serve one after the other, so that the sources are loaded once for all of them. */
export const IN_PROCESS = {
  isolate: false,
  setupFiles: ['infra/local/resolve-sources.ts', 'test/support/fresh-process.ts'],
}
export const JOURNEYS = 'test/journeys/**/*.test.ts'
/** Run by `slow.config.ts`. */
export const SLOW = 'test/**/*.slow.test.ts'

/** Journeys begin first: they wait for the real clock most of their time, while the others have the processor. */
class JourneysFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isJourney = ({ project }: TestSpecification) => project.name === 'journeys'
    return [...sorted.filter(isJourney), ...sorted.filter((file) => !isJourney(file))]
  }
}

export default defineConfig({
  test: {
    maxWorkers: 3,
    reporters: ['default', new CostReporter()],
    sequence: { sequencer: JourneysFirst },
    coverage: { include: ['shared/**', 'functions/**', 'infra/**'], reporter: ['text-summary'] },
    projects: [
      {
        test: {
          ...SHARED,
          ...IN_PROCESS,
          name: 'suites',
          include: ['test/**/*.test.ts'],
          exclude: [JOURNEYS, SLOW],
          testTimeout: process.env.RUNS ? 1_200_000 : 120_000,
        },
      },
      {
        // Real processes on the real clock.
        test: {
          ...SHARED,
          name: 'journeys',
          include: [JOURNEYS],
          exclude: [SLOW],
          testTimeout: 240_000,
        },
      },
    ],
  },
})
