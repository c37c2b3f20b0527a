import { beforeEach, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { type Tenant, tenants } from '../../../shared/base/tenant/tenant.ts'
import type { Reply } from '../../support/call.ts'
import { withoutIds } from '../../support/error-body.ts'
import { send } from '../../support/http.ts'
import { makeKey, revoke, UNKNOWN_KEY } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const DAY = 86_400_000

const local = useLocalStack()
let acme: TestTenant
beforeEach(async () => {
  acme = await local.tenant()
})

const list = (headers: Record<string, string>) => local.call(protocol.listManifests, { headers })
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const ok = { status: 200, body: { items: [], total: 0 } }

describe('a bad credential is answered 401:', () => {
  test('the response is the same for every kind of bad credential', async () => {
    const now = local.clock.now()
    const [revoked, expired] = [await makeKey(acme), await makeKey(acme, { expires_at: iso(now) })]
    await revoke(revoked)
    const attempts: Record<string, string>[] = [
      {},
      bearer('not-a-key'),
      { 'x-api-key': 'not-a-key' },
      bearer(UNKNOWN_KEY),
      bearer(expired),
      { 'x-api-key': revoked },
      { 'x-api-key': acme.live_key, ...bearer(acme.live_key) },
      { authorization: `Basic ${Buffer.from(`${acme.live_key}:`).toString('base64')}` },
      bearer('eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c3JfMSJ9.'),
    ]
    const lasting = ({ headers, ...reply }: Reply) => {
      const changing = /^(x-request-id|traceparent|x-ratelimit-|ratelimit$|date|x-amzn-requestid)/
      const names = Object.keys(headers).toSorted()
      const kept = names.filter((name) => !changing.test(name)).map((name) => [name, headers[name]])
      return { names, kept, ...withoutIds({ headers, ...reply }) }
    }

    const [first, ...others] = await Promise.all(attempts.map(async (headers) => lasting(await list(headers))))
    expect(first).toMatchObject({
      status: 401,
      body: { detail: 'Your credentials are invalid or expired. Sign in again or use another key.' },
    })
    for (const reply of others) expect(reply).toEqual(first)
  })

  test('a repeated header counts as two credentials', async () => {
    for (const name of ['authorization', 'X-API-Key']) {
      const value = name === 'authorization' ? `Bearer ${acme.live_key}` : acme.live_key
      // Node joins what it is given as a list only for some names; raw pairs keep both.
      const headers = [name, value, name.toLowerCase(), value]
      expect(await raw(headers), name).toBe(401)
      expect(await raw([name, value]), name).toBe(200)
    }
  })

  test('a key in the query is no credential', async () => {
    for (const name of ['api_key', 'access_token', 'X-API-Key']) {
      const reply = await local.call(protocol.listManifests, { query: { [name]: acme.live_key } })
      expect(reply).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', name] }] } })
    }
  })

  test('a revoked key stops working at once', async () => {
    const key = await makeKey(acme)
    expect(await list(bearer(key))).toMatchObject(ok)
    await revoke(key)

    expect((await list(bearer(key))).status).toBe(401)
    expect((await list(bearer(acme.live_key))).status).toBe(200)
  })
})

/** One request with exactly these header lines. */
async function raw(lines: string[]): Promise<number> {
  const { request } = await import('node:http')
  return new Promise((resolve, reject) => {
    const outgoing = request(`${local.apiUrl}${protocol.listManifests.path}`, {
      headers: ['Host', 'localhost', ...lines],
    })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    outgoing.end()
  })
}

describe('a good credential is accepted:', () => {
  test('either header form is taken, on both hosts', async () => {
    const forms: Record<string, string>[] = [
      { 'x-api-key': acme.live_key },
      bearer(acme.live_key),
      { Authorization: `BEARER ${acme.live_key}` },
    ]
    for (const headers of forms) {
      expect(await list(headers)).toMatchObject(ok)
      expect((await local.call(webhooks.list, { headers, host: 'app' })).status).toBe(200)
    }
  })

  test('old and new key work side by side while one is rotated', async () => {
    const fresh = await makeKey(acme)

    for (const key of [acme.live_key, fresh, acme.live_key]) expect((await list(bearer(key))).status).toBe(200)
  })

  test('a key lives for 90 days, to the last minute', async () => {
    const key = await makeKey(acme)
    local.clock.moveTo(local.clock.now() + 90 * DAY - 60_000)
    expect((await list(bearer(key))).status).toBe(200)

    local.clock.moveTo(local.clock.now() + 60_000)
    expect((await list(bearer(key))).status).toBe(401)
  })
})

describe('a credential without the right is answered 403:', () => {
  const setStatus = async (status: Tenant['status']) => {
    const { table } = systemContext({ tenant_id: acme.tenant_id, mode: 'live' })
    await table.update(tenants.key({ id: acme.tenant_id }), { set: { status } })
  }

  test.each(['suspended', 'closed'] as const)('a tenant that is %s is told so, by every key', async (status) => {
    await setStatus(status)

    for (const key of [acme.live_key, acme.test_key, acme.approver_key]) {
      expect(await list(bearer(key))).toMatchObject({
        status: 403,
        body: { detail: `Your tenant is ${status}. Ask an owner of it.` },
      })
    }
  })

  test('a suspended tenant is refused within half a minute', async () => {
    expect((await list(bearer(acme.live_key))).status).toBe(200)
    await setStatus('suspended')
    local.clock.moveTo(local.clock.now() + 30_000)

    expect((await list(bearer(acme.live_key))).status).toBe(403)
  })

  test('a key can do what its scopes and its maker could do, and no more', async () => {
    const register = (key: string) => local.call(protocol.validateManifest, { key, body: { manifest: {} } })
    const reader = await makeKey(acme, { scopes: ['governance:read'] })
    const capped = await makeKey(acme, { cap: ['protocol:write'] })

    expect((await list(bearer(reader))).status).toBe(200)
    expect((await list(bearer(capped))).status).toBe(403)
    expect((await register(reader)).status).toBe(400)
  })
})

test('health probes need no credential, and a bad one does them no harm', async () => {
  for (const headers of [{}, bearer(UNKNOWN_KEY)]) {
    const { status } = await send(`${local.apiUrl}/api/health/live`, { method: 'GET', headers })
    expect(status).toBe(200)
  }
})
