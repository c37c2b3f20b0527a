import { beforeEach, expect, test } from 'vitest'
import type { Delivery } from '../../../../shared/deliver/webhooks/delivery.ts'
import { fanOut } from '../../../../shared/deliver/webhooks/fan-out.ts'
import { recoverDeliveries, replayDelivery } from '../../../../shared/deliver/webhooks/recover.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { answers, Service } from './service.ts'

let it: Service
let id: string
let other: string
beforeEach(async () => {
  it = new Service()
  await it.start()
  id = (await it.endpoint()).id
  other = (await it.endpoint({ name: 'other' })).id
  fails()
  for (const { event, position } of await it.log(1)) await fanOut(it.ctx(), event, position)
})

const fails = () => (it.answer = () => answers(500, { 'webhook-delivery': 'abort-message' }))
const succeeds = () => (it.answer = () => answers(200))

/** The first delivery to an endpoint. */
function firstTo(endpoint: string): Delivery {
  const delivery = it.deliveries().find(({ endpoint_id }) => endpoint_id === endpoint)
  if (!delivery) throw new Error('no delivery')
  return delivery
}

async function replay(of: Delivery, endpoint_id: string): Promise<void> {
  await replayDelivery(it.ctx(), { delivery_id: of.id, endpoint_id })
  await it.workOffQueue()
}

/** How many events a recovery would deliver. */
const lost = () => recoverDeliveries(it.ctx(), { id, since: iso(it.clock.now() - 86_400_000), dry_run: true })

test('what one of several replays delivered is not lost, however and wherever the others ended', async () => {
  const original = firstTo(id)

  await replay(original, id)
  expect(await lost()).toEqual({ matched: 1 })
  succeeds()
  await replay(original, id)
  fails()
  await replay(original, id)
  await replay(original, other)

  expect(await lost()).toEqual({ matched: 0 })
})

test('what was delivered by a replay of another endpoint’s delivery is not lost', async () => {
  succeeds()

  await replay(firstTo(other), id)

  expect(await lost()).toEqual({ matched: 0 })
})
