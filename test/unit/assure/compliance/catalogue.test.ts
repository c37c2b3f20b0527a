import { expect, test } from 'vitest'
import { controlsOf, type FrameworkId } from '../../../../shared/assure/compliance/catalogue.ts'

test.each<[FrameworkId, number]>([
  ['soc2', 61],
  ['gdpr', 58],
  ['hipaa', 53],
  ['iso27001', 93],
])('%s has its %i controls, each once', (framework, count) => {
  const controls = controlsOf(framework)

  expect(controls).toHaveLength(count)
  expect(new Set(controls).size).toBe(count)
})
