import { beforeEach, expect, test } from 'vitest'
import { openTable, systemContext } from '../../../../shared/base/context.ts'
import { createTicket, takeTicket } from '../../../../shared/identity/sessions/ticket.ts'
import { type Deployment, deploy, TABLE } from '../../edge/deployment.ts'

let service: Deployment
beforeEach(async () => {
  service = await deploy()
})

const create = (user_id = 'anna') => createTicket(systemContext(service.space), user_id)
const take = (ticket: string, user_id = 'anna') => takeTicket(openTable(), { ticket, user_id })

test('a ticket works once, for its account', async () => {
  const ticket = await create()

  expect(await take(ticket, 'bert')).toBe(false)
  expect(await take(ticket)).toBe(true)
  expect(await take(ticket)).toBe(false)
})

test('a ticket works for a minute', async () => {
  const [early, late] = [await create(), await create()]
  const made = service.clock.now()

  service.clock.moveTo(made + 59_900)
  expect(await take(early)).toBe(true)
  service.clock.moveTo(made + 60_000)
  expect(await take(late)).toBe(false)
})

test('a made-up ticket does not work', async () => {
  expect(await take('made-up')).toBe(false)
})

test('only its hash is stored', async () => {
  const ticket = await create()

  expect(JSON.stringify(service.table.items(TABLE))).not.toContain(ticket)
})
