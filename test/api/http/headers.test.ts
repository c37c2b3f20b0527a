// The headers that every answer carries, one answer of each status.
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { health } from '../../../functions/health/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import type { ClientPlugin } from '../../../shared/base/aws/clients.ts'
import { bodyOf, manifest } from '../../support/any-route.ts'
import type { Reply } from '../../support/call.ts'
import { mustBeRefusal, mustHaveCommonHeaders } from '../../support/error-body.ts'
import { makeKey } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { expectServerErrors } from '../../support/server-errors.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

/** While set, thrown by every read of a list. */
let fault: Error | undefined

type Next = (args: object) => Promise<object>
const faulty: ClientPlugin = (client) => {
  const middleware =
    (next: Next, { commandName }: { commandName?: string }) =>
    async (args: object) => {
      if (fault && commandName === 'QueryCommand') throw fault
      return next(args)
    }
  client.middlewareStack.use({
    applyToStack: (stack: { add: (added: typeof middleware, options: object) => void }) =>
      stack.add(middleware, { step: 'initialize', name: 'faulty' }),
  })
}

const local = useLocalStack({ plugins: [faulty] })
let acme: TestTenant
beforeAll(async () => {
  acme = await local.tenant()
})

const register = (id: string) => acme.call(protocol.registerManifest, { body: { manifest: manifest('1.0.0', id) } })
const list = () => acme.call(protocol.listManifests)

const answers: Record<number, () => Promise<Reply>> = {
  200: () => list(),
  201: () => register('crm.answers.created'),
  204: async () => {
    const { body } = await acme.call(webhooks.create, { body: bodyOf(webhooks.create) ?? {} })
    return acme.call(webhooks.delete, { params: { id: body.id } })
  },
  400: () => acme.call(protocol.listManifests, { query: { limit: 0 } }),
  401: () => local.call(protocol.listManifests),
  403: async () => local.call(protocol.listManifests, { key: await makeKey(acme, { scopes: ['diagnostic:read'] }) }),
  404: () => acme.call(protocol.getManifest, { params: { node_id: 'no.such.node' } }),
  409: async () => {
    await register('crm.answers.twice')
    return register('crm.answers.twice')
  },
  413: () => acme.call(webhooks.create, { body: ' '.repeat(262_145) }),
  422: () => acme.call(webhooks.create, { body: { ...bodyOf(webhooks.create), zzz: 1 } }),
  429: async () => {
    const busy = await local.tenant({ plan: 'free' })
    const replies = await Promise.all(Array.from({ length: 101 }, () => busy.call(protocol.listManifests)))
    return replies.find(({ status }) => status === 429) ?? list()
  },
  500: async () => {
    expectServerErrors()
    fault = new Error('a table named countersign on 127.0.0.1')
    return list().finally(() => (fault = undefined))
  },
  503: async () => {
    fault = Object.assign(new Error('127.0.0.1'), { name: 'ThrottlingException' })
    return list().finally(() => (fault = undefined))
  },
}

describe.each(Object.entries(answers))('%s', (status, answer) => {
  test('has the common headers and, if it is a refusal, the one error body', async () => {
    const reply = await answer()

    expect(reply.status).toBe(Number(status))
    mustHaveCommonHeaders(reply)
    if (reply.status >= 400) mustBeRefusal(reply)
    expect(JSON.stringify(reply.body) ?? '').not.toMatch(/127\.0\.0\.1|"countersign"|Exception|node_modules|\.ts:/)
  })
})

describe('the ids of a request:', () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  const traceparent = `00-${trace}-00f067aa0ba902b7-01`

  test('a client chooses trace and correlation id, never the request id', async () => {
    const headers = { traceparent, 'x-correlation-id': 'order:4711', 'x-request-id': 'req_mine-0001' }
    const reply = await acme.call(protocol.listManifests, { headers })

    expect(reply.headers.traceparent).toContain(trace)
    expect(reply.headers['x-correlation-id']).toBe('order:4711')
    expect(reply.headers['x-request-id']).not.toBe('req_mine-0001')
  })

  test('the trace id of a server error is the one of its traceparent', async () => {
    expectServerErrors()
    fault = new Error('x')
    const reply = await acme
      .call(protocol.listManifests, { headers: { traceparent } })
      .finally(() => (fault = undefined))

    expect(reply.body).toMatchObject({
      trace_id: trace,
      detail: 'The service failed. Try again, and report the trace_id if it fails again.',
    })
  })

  test('the trace is in the log lines of the request and of the worker that goes on with it', async () => {
    await local.drain()
    vi.stubEnv('MAIL_FROM', '') // the worker then logs that it can send nothing
    vi.stubEnv('LOG_LEVEL', 'info')
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    await local.call(auth.forgotPassword, { body: { email: acme.owner.email }, headers: { traceparent } })
    await local.drain()
    const lines = write.mock.calls.map(([line]) => JSON.parse(String(line)))
    write.mockRestore()
    vi.unstubAllEnvs()

    expect(lines.find(({ event }) => event === 'request')).toMatchObject({ trace_id: trace })
    expect(lines.find(({ event }) => event === 'mail_not_configured')).toMatchObject({ trace_id: trace })
  })

  test('two requests never share a request id', async () => {
    const replies = await Promise.all(Array.from({ length: 50 }, () => local.call(health.live)))

    expect(new Set(replies.map(({ headers }) => headers['x-request-id'])).size).toBe(50)
  })
})

test('the response to a creation has a Location', async () => {
  const { headers, body } = await acme.call(webhooks.create, { body: bodyOf(webhooks.create) ?? {} })

  expect(headers.location).toBe(`/api/webhooks/${body.id}`)
})
