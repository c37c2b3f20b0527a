import { getHeapStatistics } from 'node:v8'
import { afterEach, expect, test, vi } from 'vitest'
import { memoryPercent } from '../../../../shared/operate/health/probe.ts'

const MEGABYTE = 1_048_576
const used = { heapTotal: 96 * MEGABYTE, external: 32 * MEGABYTE, rss: 4_096 * MEGABYTE }

afterEach(() => vi.unstubAllEnvs())

test('files that the system keeps in memory for the process do not count as used memory', () => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_MEMORY_SIZE', '512')

  expect(memoryPercent(used)).toBe(25)
  expect(memoryPercent({ ...used, heapTotal: 480 * MEGABYTE })).toBe(100)
})

test('without the size of a function, memory is compared with what V8 may use', () => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_MEMORY_SIZE', undefined)
  const limit = getHeapStatistics().heap_size_limit

  expect(memoryPercent({ heapTotal: limit / 4, external: limit / 4 })).toBe(50)
})
