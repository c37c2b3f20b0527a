import { describe, expect, test } from 'vitest'
import { counting } from './measure.ts'
import { LIMITS, measurePaths } from './paths.ts'
import { useLocalStack } from '../support/use-local-stack.ts'

const local = useLocalStack({ embedded: true, plugins: [counting] })

describe('budgets', () => {
  test('no hot path costs more calls, round trips or units than promised', async () => {
    const costs = await measurePaths(local)

    expect(Object.keys(costs)).toEqual(Object.keys(LIMITS))
    for (const [path, limit] of Object.entries(LIMITS)) {
      for (const [unit, most] of Object.entries(limit)) {
        const spent = costs[path]?.[unit as keyof typeof limit]
        expect(spent, `${unit} of ${path}`).toBeGreaterThan(0)
        expect(spent, `${unit} of ${path}`).toBeLessThanOrEqual(most)
      }
    }
  })
})
