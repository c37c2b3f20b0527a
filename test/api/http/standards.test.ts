// What clients know from standards, on one running service: HEAD, Link, RateLimit and problem details.
import { beforeAll, describe, expect, test } from 'vitest'
import { docs } from '../../../functions/docs/routes.ts'
import { health } from '../../../functions/health/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import type { Route } from '../../../shared/base/wire/route.ts'
import { bodyOf, manifest } from '../../support/any-route.ts'
import type { Reply } from '../../support/call.ts'
import { mustHaveCommonHeaders } from '../../support/error-body.ts'
import { send } from '../../support/http.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
beforeAll(async () => {
  acme = await local.tenant()
  for (const id of ['crm.a.one', 'crm.a.two', 'crm.a.three']) {
    await acme.call(protocol.registerManifest, { body: { manifest: manifest('1.0.0', id) } })
  }
})

const headOf = (row: Route): Route => ({ ...row, method: 'HEAD' as Route['method'] })
const asks = { accept: 'application/problem+json' }

describe('HEAD', () => {
  test('has the headers of GET, its length, and no body', async () => {
    const got = await acme.call(protocol.listManifests)
    const { status, headers, body } = await acme.call(headOf(protocol.listManifests) as typeof protocol.listManifests)

    expect({ status, body }).toEqual({ status: 200, body: undefined })
    expect(headers['content-length']).toBe(got.headers['content-length'])
    expect(headers['content-type']).toBe(got.headers['content-type'])
    mustHaveCommonHeaders({ status, headers, body })
  })

  test('is authorised and counted as GET is', async () => {
    const row = headOf(protocol.listManifests) as typeof protocol.listManifests
    const left = async () => Number((await acme.call(row)).headers['x-ratelimit-remaining'])

    expect((await local.call(row)).status).toBe(401)
    expect(
      (
        await acme.call(headOf(protocol.getManifest) as typeof protocol.getManifest, {
          params: { node_id: 'no.such.node' },
        })
      ).status,
    ).toBe(404)
    const before = await left()
    expect(await left()).toBe(before - 1)
  })

  test('is not known where GET leaves evidence', async () => {
    const row = headOf(evidence.payload) as typeof evidence.payload
    const { status, headers } = await acme.call(row, { params: { id: 'art_x' } })

    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET' })
  })
})

test('a list can be walked by its links alone', async () => {
  const seen: string[] = []
  let query: Record<string, string> | undefined = { limit: '1' }
  while (query) {
    const { body, headers }: Reply = await acme.call(protocol.listManifests, { query })
    seen.push(...body.items.map((item: { node_id: string }) => item.node_id))
    expect(headers.link).toContain('<?limit=1>; rel="first"')
    const next: string | undefined = /<(\?[^>]*)>; rel="next"/.exec(headers.link ?? '')?.[1]
    query = next === undefined ? undefined : Object.fromEntries(new URLSearchParams(next))
  }

  expect(seen.toSorted()).toEqual(['crm.a.one', 'crm.a.three', 'crm.a.two'])
})

test('the drafted fields of the rate limit say what the older ones say', async () => {
  const { headers } = await acme.call(protocol.listManifests)
  const seconds = Number(headers['x-ratelimit-reset']) - Math.floor(local.clock.now() / 1_000)

  expect(headers['ratelimit-policy']).toBe(`"minute";q=${headers['x-ratelimit-limit']};w=60`)
  expect(headers.ratelimit).toBe(`"minute";r=${headers['x-ratelimit-remaining']};t=${seconds}`)
})

describe('problem details', () => {
  const invalid = (headers: Record<string, string>) =>
    acme.call(webhooks.create, { body: { ...bodyOf(webhooks.create), zzz: 1 }, headers })

  test('hold the facts of the other body, for who asks for them', async () => {
    const [ours, problem] = [await invalid({}), await invalid(asks)]

    expect(problem.headers['content-type']).toBe('application/problem+json')
    expect(problem.body).toEqual({
      type: `${local.appUrl}/docs/errors#invalid`,
      title: 'Invalid',
      status: 422,
      detail: 'body.zzz: unknown field',
      code: 'invalid',
      errors: ours.body.detail,
      request_id: problem.headers['x-request-id'],
    })
    expect([ours.headers.vary, problem.headers.vary]).toEqual(['Accept', 'Accept'])
  })

  test('tell of every kind of refusal, from the unknown path to the missing credential', async () => {
    const replies = [
      await local.call(protocol.listManifests, { headers: asks }),
      await acme.call(protocol.listManifests, { query: { limit: 0 }, headers: asks }),
      await acme.call(webhooks.create, { body: {}, headers: asks }),
    ]
    const unknown = await send(`${local.apiUrl}/nothing`, { method: 'GET', headers: asks })
    const known = replies.map(({ status, body }) => [status, body.status, body.code, typeof body.detail])

    expect(known).toEqual([
      [401, 401, 'unauthenticated', 'string'],
      [400, 400, 'malformed', 'string'],
      [400, 400, 'missing_field', 'string'],
    ])
    expect(JSON.parse(unknown.text)).toMatchObject({ type: `${local.appUrl}/docs/errors#not_found`, status: 404 })
  })

  test('name a place on the page of errors', async () => {
    const { status, body } = await local.call(docs.part, { params: { page: 'errors' } })

    expect(status).toBe(200)
    for (const code of ['invalid', 'unauthenticated', 'rate_limited']) expect(body).toContain(`<dt id="${code}">`)
  })

  test('are nothing for answers that are no refusals', async () => {
    const { headers } = await local.call(health.live, { headers: asks })

    expect(headers['content-type']).toBe('application/json; charset=utf-8')
  })
})
