import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { health } from '../../../functions/health/routes.ts'
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts'

let local: LocalStack
beforeAll(async () => {
  local = await startLocalStack()
})
afterAll(() => local.stop())

describe('health', () => {
  test('live answers without a credential and touches nothing', async () => {
    const reply = await local.call(health.live)

    expect(reply).toMatchObject({ status: 200, body: { status: 'alive' } })
    expect(reply.headers).toMatchObject({ 'x-ratelimit-category': 'global', 'cache-control': 'no-store' })
  })

  test('check, ready and detailed ask their dependencies', async () => {
    const acme = await local.tenant()

    expect(await local.call(health.check)).toMatchObject({
      status: 200,
      body: { checks: { database: { status: 'ok' } } },
    })
    expect(await local.call(health.ready)).toMatchObject({
      status: 200,
      body: { status: 'ready', checks: { queues: { status: 'ok' }, bus: { status: 'ok' }, kms: { status: 'ok' } } },
    })
    const detailed = await acme.call(health.detailed)
    expect(detailed.status).toBe(200)
    expect(detailed.body.components.map(({ name }: { name: string }) => name)).toContain('sequencer')
  })

  test('401: detailed needs a credential', async () => {
    expect(await local.call(health.detailed)).toMatchObject({
      status: 401,
      body: { detail: 'invalid or expired credentials', code: 'unauthenticated' },
    })
  })
})
