import { expect, test } from 'vitest'
import { asOf } from '../../../shared/operate/metrics/state.ts'
import { readWindow } from '../../../shared/operate/metrics/read-window.ts'
import { governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

test('the sweeper has every active space counted after its minute, and an idle one not again', async () => {
  const tenant = await governed(local)
  const from = Math.floor(local.clock.now() / 60_000) * 60_000
  for (let run = 0; run < 3; run += 1) await tenant.execute('get_contact')
  await tenant.held()
  await local.drain()
  await local.advance(80_000)
  await local.sweep()

  const until = await asOf(tenant.ctx)
  const counts = await readWindow(tenant.ctx, { from, until })

  expect(until).toBeGreaterThanOrEqual(from + 60_000)
  expect(counts.all()).toMatchObject({ 'd.AUTO.run': 3, 'd.HARD.held': 1, 'r.ok': 3, 'a.asked': 1, rq: 5 })
})
