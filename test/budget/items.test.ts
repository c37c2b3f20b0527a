import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { protocol } from '../../functions/protocol/routes.ts'
import { executeBody, referenceTenant } from '../support/reference-action.ts'
import { useLocalStack } from '../support/use-local-stack.ts'
import { sizing } from './item-sizes.ts'

const sizes: [type: string, bytes: number][] = []

const local = useLocalStack({ plugins: [sizing((type, bytes) => sizes.push([type, bytes]))] })

/** Above it, each item costs two write units more. */
const MOST = 1_024

test.each([
  ['with its measures', ''],
  ['with personal data', 'ann@example.com '],
])('%s, the outbox item of an AUTO run stays within one unit, whatever its ids and sizes', async (_, found) => {
  const { call } = await referenceTenant(local)
  await call(protocol.execute, { body: executeBody('AUTO') })
  sizes.length = 0

  for (let run = 0; run < 100; run += 1) {
    local.clock.moveTo(local.clock.now() + randomInt(1, 100_000))
    const payload = { note: found + 'x'.repeat(randomInt(1, 9_000)) }
    expect(await call(protocol.execute, { body: { ...executeBody('AUTO'), payload } })).toMatchObject({ status: 200 })
  }

  const outbox = sizes.filter(([type]) => type === 'OUTBOX').map(([, bytes]) => bytes)
  expect(outbox).toHaveLength(100)
  expect(Math.max(...outbox)).toBeLessThanOrEqual(MOST)
  expect(Math.max(...outbox)).toBeGreaterThan(MOST - 256) // the measure of this test measures
})
