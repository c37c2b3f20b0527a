// `npm run test:slow`: what takes long and seldom breaks, and each property ten times as often as in `npm test`.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { IN_PROCESS, JOURNEYS, SHARED, SLOW } from './vitest.config.ts'

const isProperty = (file: string) =>
  /from 'fast-check'|support\/runs\.ts'/.test(readFileSync(join(SHARED.root, file), 'utf8'))
const properties = globSync('test/**/*.test.ts', { cwd: SHARED.root }).filter(isProperty)

const patient = { ...SHARED, testTimeout: 1_200_000 }
const inProcess = { ...patient, ...IN_PROCESS }

export default defineConfig({
  test: {
    maxWorkers: 3,
    projects: [
      { test: { ...patient, name: 'journeys', include: ['test/journeys/**/*.slow.test.ts'] } },
      { test: { ...inProcess, name: 'slow', include: [SLOW], exclude: [JOURNEYS] } },
      { test: { ...inProcess, name: 'properties', include: properties, exclude: [SLOW], env: { RUNS: 'x10' } } },
    ],
  },
})
