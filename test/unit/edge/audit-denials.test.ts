import * as z from 'zod'
import { beforeEach, describe, expect, test } from 'vitest'
import { endpoint } from '../../../shared/edge/endpoint.ts'
import { forbidden, notFound } from '../../../shared/base/lib/failure.ts'
import { type Deployment, deploy, route, TABLE } from './deployment.ts'

let service: Deployment
let key: string
beforeEach(async () => {
  service = await deploy()
  key = await service.key({}, ['governance:read', 'governance:write'])
})

const shapes = { response: z.object({}) }
const answering = (run: () => Promise<Record<string, never>>, row: Parameters<typeof route>[0] = {}) =>
  endpoint(route({ evidence: { none: 'test' }, success: 200, ...row }), shapes, run)
const entries = () => service.table.items(TABLE).filter(({ _type }) => _type?.S === 'AUDIT')
const writes = () => (service.table.calls.UpdateItem ?? 0) + (service.table.calls.TransactWriteItems ?? 0)

describe('an entry of the audit log', () => {
  test('is left by whoever lacks the permission, with what was missing', async () => {
    const reply = await service.send(
      answering(async () => ({}), { access: 'users:write' }),
      { key },
    )

    expect(reply.status).toBe(403)
    expect(entries()).toMatchObject([
      {
        action: { S: 'sample.make' },
        outcome: { S: 'denied' },
        reason: { S: 'You need the permission users:write (scope admin).' },
        resource: { M: { type: { S: 'thing' }, id: { S: 'a' } } },
        ip: { S: '203.0.113.9' },
      },
    ])
  })

  test('is left by whoever a verb refuses, also for a name that could not be part of a key', async () => {
    const refuse = answering(() => Promise.reject(forbidden('not you')))
    await service.send(refuse, { key, params: { id: 'a:b@c' } })

    expect(entries()).toHaveLength(1)
  })

  test('is one, and written beside the answer', async () => {
    const refuse = answering(() => Promise.reject(forbidden('not you')))
    await service.send(refuse, { key })
    const before = writes()
    await service.send(refuse, { key })

    expect(writes() - before).toBe(2) // the rate window and the entry
  })

  test('that cannot be written changes no answer', async () => {
    service.table.hooks.before = ({ name, input }) => {
      if (name === 'UpdateItem' && JSON.stringify(input).includes('AUDIT')) throw new Error('throttled')
    }
    const reply = await service.send(
      answering(() => Promise.reject(forbidden('not you'))),
      { key },
    )

    expect(reply.status).toBe(403)
  })
})

test.each([
  ['what is allowed', async () => ({})],
  ['what is not there', () => Promise.reject(notFound('thing'))],
])('%s leaves none and costs none', async (_, run) => {
  await service.send(answering(run), { key })
  const before = writes()
  await service.send(answering(run), { key })

  expect(entries()).toEqual([])
  expect(writes() - before).toBe(1) // the rate window
})

test('a stranger leaves none', async () => {
  await service.send(
    answering(async () => ({})),
    { headers: { authorization: 'Bearer x' } },
  )

  expect(entries()).toEqual([])
})
