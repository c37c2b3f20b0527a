import { describe, expect, test } from 'vitest'
import { health } from '../../../functions/health/routes.ts'
import { QUEUES } from '../../../infra/topology.ts'
import type { ClientPlugin } from '../../../shared/base/aws/clients.ts'
import { bodyOf, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

let takesWrites = true

type Next = (args: object) => Promise<object>
type Stack = { add: (middleware: (next: Next, context: { commandName?: string }) => Next, at: object) => void }

/** The database answers reads; what it is asked to write fails while the test says so. */
const readOnly: ClientPlugin = (client, service) => {
  if (service !== 'dynamodb') return
  const applyToStack = (stack: Stack) =>
    stack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          if (!takesWrites && /^(Update|Put|Transact)/.test(commandName)) throw new Error('no writes now')
          return next(args)
        },
      { step: 'initialize', name: 'readOnly' },
    )
  client.middlewareStack.use({ applyToStack })
}

type Component = { name: string; status: string; detail?: Record<string, unknown> }

const partOf = (components: Component[], part: string) => components.find(({ name }) => name === part)

const local = useLocalStack({ plugins: [readOnly] })

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
      body: {
        status: 'ready',
        checks: { writes: { status: 'ok' }, queues: { status: 'ok' }, bus: { status: 'ok' }, kms: { status: 'ok' } },
      },
    })
    const detailed = await acme.call(health.detailed)
    expect(detailed.status).toBe(200)
    expect(detailed.body.components.map(({ name }: { name: string }) => name)).toContain('sequencer')
  })

  test('detailed shows a relay that stands, and figures of the last minutes as far as they are counted', async () => {
    const acme = await governed(local)
    await acme.execute('get_contact')
    local.clock.moveTo(local.clock.now() + 70_000)
    const { components } = bodyOf(await acme.call(health.detailed), 200)
    await local.drain()
    local.clock.moveTo(local.clock.now() + 70_000)
    await local.sweep()
    const after = bodyOf(await acme.call(health.detailed), 200)

    expect(partOf(components, 'relay')).toMatchObject({ status: 'degraded', detail: { lag_ms: expect.any(Number) } })
    expect(partOf(after.components, 'relay')).toMatchObject({ status: 'ok', detail: { lag_ms: 0 } })
    expect(after.metrics).toMatchObject({ error_percent_5m: 0, governance_ms: { p95: expect.any(Number) } })
    expect(after.metrics.requests_5m).toBeGreaterThanOrEqual(2)
  })

  test('detailed shows what waits in each queue, dead letters too', async () => {
    const acme = await local.tenant()
    local.queues.send('measure-dlq', 'given up')
    const { components } = bodyOf(await acme.call(health.detailed), 200)
    for (const message of local.queues.receive('measure-dlq', 1)) local.queues.remove(message)

    const { detail } = partOf(components, 'queues') ?? {}
    expect(detail).toMatchObject({ 'measure-dlq': 1, 'exports-dlq': 0, mail: expect.any(Number) })
    expect(Object.keys(detail ?? {}).toSorted()).toEqual(
      Object.keys(QUEUES)
        .flatMap((name) => [name, `${name}-dlq`])
        .toSorted(),
    )
  })

  test('detailed shows since when evidence waits for its signature, degraded after ten minutes', async () => {
    const acme = await governed(local)
    const ask = async () => partOf(bodyOf(await acme.call(health.detailed), 200).components, 'sequencer')
    const wait = async (minutes: number) => {
      local.clock.moveTo(local.clock.now() + minutes * 60_000)
      return ask()
    }
    await local.advance(120_000)
    await acme.execute('get_contact')
    await local.drain()
    const signed = await ask() // a minute from now, the next signature is due
    const from = local.clock.now()
    await acme.execute('get_contact')
    const until = local.clock.now()
    await local.drain()
    const early = await wait(9)
    const late = await wait(2)
    await local.sweep()

    expect(signed).toMatchObject({ status: 'ok', detail: { unsigned: 0, oldest_unsigned_at: null } })
    const oldest_unsigned_at = String(early?.detail?.oldest_unsigned_at)
    expect(Date.parse(oldest_unsigned_at)).toBeGreaterThanOrEqual(from)
    expect(Date.parse(oldest_unsigned_at)).toBeLessThanOrEqual(until)
    expect(early).toMatchObject({ status: 'ok', detail: { unsigned: 1 } })
    expect(late).toMatchObject({ status: 'degraded', detail: { oldest_unsigned_at } })
    expect(await wait(1)).toMatchObject({ status: 'ok', detail: { unsigned: 0, oldest_unsigned_at: null } })
  })

  test('503: ready and detailed say so while the database answers reads and takes no writes', async () => {
    const acme = await local.tenant()
    local.clock.moveTo(local.clock.now() + 60_000)
    takesWrites = false
    const [ready, detailed] = [await local.call(health.ready), await acme.call(health.detailed)]
    takesWrites = true

    const checks = { database: { status: 'ok' }, writes: { status: 'failed' } }
    expect(ready).toMatchObject({ status: 503, body: { status: 'not_ready', checks } })
    expect(detailed.status).toBe(503)
    local.clock.moveTo(local.clock.now() + 60_000)
    expect(await local.call(health.ready)).toMatchObject({
      status: 200,
      body: { checks: { writes: { status: 'ok' } } },
    })
  })

  test('401: detailed needs a credential', async () => {
    expect(await local.call(health.detailed)).toMatchObject({
      status: 401,
      body: {
        detail: 'Your credentials are invalid or expired. Sign in again or use another key.',
        code: 'unauthenticated',
      },
    })
  })
})
