import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { health } from '../../../functions/health/routes.ts'
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts'

let local: LocalStack
beforeAll(async () => {
  const t = performance.now()
  local = await startLocalStack()
  console.log('start', performance.now() - t)
})
afterAll(() => local.stop())

test('x', async () => {
  let t = performance.now()
  console.log(await local.call(health.live), performance.now() - t)
  t = performance.now()
  console.log(await local.call(health.live), performance.now() - t)
  t = performance.now()
  const acme = await local.tenant()
  console.log(acme, performance.now() - t)
})
