import { afterEach, expect, test } from 'vitest'
import { clientConfig } from '../../../../shared/base/aws/clients.ts'

afterEach(() => {
  delete process.env.SDK_TIMEOUT_FACTOR
})

test('a call of AWS has a deadline, and a machine that is all of AWS at once has more patience', () => {
  expect(clientConfig()).toMatchObject({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 300, requestTimeout: 1_000, throwOnRequestTimeout: true },
  })
  process.env.SDK_TIMEOUT_FACTOR = '30'
  expect(clientConfig(6_000).requestHandler).toMatchObject({ connectionTimeout: 9_000, requestTimeout: 180_000 })
})
