import { beforeEach, describe, expect, test, vi } from 'vitest'
import { allowlist } from '../../../functions/allowlist/routes.ts'
import { auth } from '../../../functions/auth/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { writeAuditEntry } from '../../../shared/ledger/audit/write-audit-entry.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { makeKey } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { authorized, CODE_CLIENT, discovered, followClock, newClient } from '../../support/oauth.ts'
import { logIn, signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

type Entry = { id: string; at: string; action: string; outcome: string } & Record<string, Record<string, string>>

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
beforeEach(async () => {
  acme = await local.tenant()
  owner = await signIn(local, acme.owner)
})

const log = (query: Record<string, string | number> = {}, as = owner) =>
  as.call(security.auditLogs, { params: { tenant_id: acme.tenant_id }, query })
const entries = async (query: Record<string, string | number> = {}): Promise<Entry[]> => {
  const { status, body } = await log(query)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.items
}
const actions = async (query: Record<string, string | number> = {}) =>
  (await entries(query)).map(({ action }) => action)
const makeAndRevoke = async () => {
  const body = { name: 'Nightly build', kind: 'live', scopes: ['governance:read'] }
  const { body: key } = await owner.call(keys.create, { body })
  await owner.call(keys.revoke, { params: { id: key.id }, body: {} })
  return key
}

describe('GET /api/v1/security/tenants/{tenant_id}/audit-logs', () => {
  test('200: shows who did what, from where, and what it changed', async () => {
    const key = await makeAndRevoke()
    const [revoked, created] = await entries({ resource_type: 'api_key', resource_id: key.id })

    expect(revoked).toEqual({
      id: expect.stringMatching(/^aud_[0-9A-Z]{26}$/),
      at: expect.any(String),
      actor: { type: 'user', id: owner.user_id, email: acme.owner.email },
      action: 'api_key.revoked',
      resource: { type: 'api_key', id: key.id, name: 'Nightly build' },
      outcome: 'success',
      request_id: expect.stringMatching(/^req_/),
      trace_id: expect.stringMatching(/^[\da-f]{32}$/),
      ip: expect.any(String),
      user_agent: expect.any(String),
      changes: [{ path: 'status', before: 'active', after: 'revoked' }],
      evidence_artifact_id: expect.stringMatching(/^art_/),
      environment: 'live',
    })
    expect(created).toMatchObject({ action: 'api_key.created' })
    expect(JSON.stringify([revoked, created])).not.toContain(key.key)
  })

  test('200: each filter narrows, and two narrow further', async () => {
    const key = await makeAndRevoke()
    const [newest] = await entries({ action: 'api_key.revoked' })

    expect(await actions({ action: 'api_key.*' })).toEqual([
      'api_key.revoked',
      'api_key.created',
      ...Array.from({ length: 3 }, () => 'api_key.created'),
    ])
    expect(await actions({ q: 'NIGHTLY' })).toEqual(['api_key.revoked', 'api_key.created'])
    expect(await actions({ actor_id: owner.user_id, action: 'api_key.revoked' })).toEqual(['api_key.revoked'])
    expect(await actions({ actor_type: 'api_key' })).toEqual([])
    expect(await actions({ resource_type: 'api_key', q: 'nightly' })).toHaveLength(2)
    expect(await actions({ resource_id: key.id })).toHaveLength(2)
    expect(await actions({ request_id: newest?.request_id as never })).toEqual(['api_key.revoked'])
    expect(await actions({ outcome: 'denied' })).toEqual([])
    expect(await actions({ environment: 'test' })).toEqual([])
    expect(await actions({ ip: '198.51.100.1' })).toEqual([])
    const at = newest?.at ?? ''
    expect(await actions({ start_at: at, action: 'api_key.*' })).toEqual(['api_key.revoked'])
    expect(await actions({ end_at: at, q: 'nightly' })).toEqual(['api_key.created'])
  })

  test('200: bounds of any year are bounds', async () => {
    await makeAndRevoke()
    const ofOwner = { actor_id: owner.user_id }
    const everything = (await actions({ action: 'api_key.*' })).length

    expect(await actions({ start_at: '0001-01-01T00:00:00Z', action: 'api_key.*' })).toHaveLength(everything)
    expect(await actions({ start_at: '1969-07-20T20:17:40Z', ...ofOwner })).not.toEqual([])
    expect(await actions({ end_at: '1970-01-01T00:00:00Z', ...ofOwner })).toEqual([])
    expect(await actions({ start_at: '9999-12-31T23:59:59Z' })).toEqual([])
  })

  test('200: page by page, in either order, each entry once', async () => {
    await makeAndRevoke()
    const end_at = new Date(local.clock.now()).toISOString()
    const whole = await entries({ end_at })
    expect(whole.length).toBeGreaterThan(5)

    for (const order of ['desc', 'asc']) {
      const seen: string[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body } = await log({ end_at, order, limit: 2, ...(cursor && { cursor }) })
        expect(body.total).toBe(whole.length)
        seen.push(...body.items.map(({ id }: Entry) => id))
        cursor = body.next_cursor
      }
      expect(seen).toEqual((order === 'asc' ? whole.toReversed() : whole).map(({ id }) => id))
    }
    expect((await log({ end_at, offset: 1, limit: 2 })).body.items).toEqual(whole.slice(1, 3))
  })

  test('200: that it was read is in it for the next reader, never for the same', async () => {
    const first = await log({ action: 'audit_log.*' })
    const second = await log({ action: 'audit_log.*' })

    expect(first.body).toMatchObject({ items: [], total: 0 })
    expect(second.body).toMatchObject({
      items: [{ action: 'audit_log.read', request_id: first.headers['x-request-id'] }],
      total: 1,
    })
  })

  test('200: who shows the right password from an address that is not let in is in it', async () => {
    const { tenant_id } = acme
    expect(await owner.call(allowlist.create, { params: { tenant_id }, body: { cidr: '127.0.0.1/32' } })).toMatchObject(
      { status: 201 },
    )
    const [signedIn, refreshed] = [
      await logIn(local, acme.approver, { ip: '127.0.0.9' }),
      await local.call(auth.refresh, { ip: '127.0.0.9', body: { refresh_token: owner.refresh_token } }),
    ]
    expect([signedIn, refreshed]).toMatchObject([
      { status: 403, body: { code: 'ip_not_allowed' } },
      { status: 403, body: { code: 'ip_not_allowed' } },
    ])

    const reason =
      "Your address is not on the tenant's allowlist. Call from a listed network, or ask an administrator to add yours."
    expect(await entries({ outcome: 'denied' })).toMatchObject([
      { action: 'user.sign_in', actor: { type: 'user', id: owner.user_id }, ip: '127.0.0.9', reason },
      { action: 'user.sign_in', actor: { type: 'user', id: acme.approver.id }, ip: '127.0.0.9', reason },
    ])
  })

  test('200: whatever was refused is in it, with the reason, once', async () => {
    const reader = await makeKey(acme, { scopes: ['governance:read'] })
    const other = await local.tenant()
    await local.call(users.list, { key: reader })
    await owner.call(security.listPolicies, { params: { tenant_id: other.tenant_id } })
    await local.call(protocol.listManifests, { key: reader })

    const denied = await entries({ outcome: 'denied' })
    expect(denied).toMatchObject([
      {
        action: 'security.list_policies',
        actor: { type: 'user', id: owner.user_id },
        resource: { type: 'tenant', id: other.tenant_id },
        reason: 'tenant not found',
      },
      {
        action: 'users.list',
        actor: { type: 'api_key' },
        reason: 'You need the permission users:read (scope admin).',
      },
    ])
    expect(denied[1]).not.toHaveProperty('evidence_artifact_id')
  })

  test('422: a filter that there is not is named instead of ignored', async () => {
    expect(await log({ actor: 'x', action: 'api_key.*' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', 'actor'], msg: 'unknown parameter', type: 'extra_forbidden' }] },
    })
  })

  test('400: a value that cannot be one', async () => {
    const wrong = { outcome: 'ok', start_at: 'yesterday', order: 'up', limit: 0, format: 'xml' }
    for (const [name, value] of Object.entries(wrong)) expect((await log({ [name]: value })).status, name).toBe(400)
  })

  test('400: a cursor belongs to its filters', async () => {
    const { body } = await log({ limit: 1 })

    expect(await log({ limit: 1, cursor: body.next_cursor, order: 'asc' })).toMatchObject({ status: 400 })
  })

  test('200: as CSV it is the same selection, and no cell is a formula', async () => {
    await owner.call(keys.create, { body: { name: '=1+1', kind: 'live', scopes: ['governance:read'] } })
    const reply = await log({ format: 'csv', action: 'api_key.created' })

    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toMatch(/^text\/csv/)
    const lines = String(reply.body).trim().split('\r\n')
    expect(lines[0]).toMatch(/^id,at,actor_type,actor_id,/)
    expect(lines).toHaveLength(5)
    expect(reply.body).toContain(",'=1+1,")
    expect(reply.headers['content-disposition']).toContain(`filename*=UTF-8''audit-log.csv`)
    expect(reply.body).toMatch(/^id,/)
    expect((await log({ format: 'csv', bom: 'true' })).body).toMatch(/^\uFEFFid,/)
  })

  test('200: a file is not cut to a page of the list', async () => {
    const ctx = systemContext({ tenant_id: acme.tenant_id, mode: 'live' })
    const facts = { action: 'sample.read', outcome: 'success', subject: { type: 'sample', id: 'x' } } as const
    await Promise.all(Array.from({ length: 60 }, () => writeAuditEntry(ctx, facts)))
    const all = await log({ format: 'csv', action: 'sample.read' })
    const some = await log({ format: 'csv', action: 'sample.read', limit: 40 })

    expect(String(all.body).trim().split('\r\n')).toHaveLength(61)
    expect(all.headers['x-next-cursor']).toBeUndefined()
    expect(String(some.body).trim().split('\r\n')).toHaveLength(41)
    const cursor = some.headers['x-next-cursor'] ?? ''
    const rest = await log({ format: 'csv', action: 'sample.read', cursor })
    expect(String(rest.body).trim().split('\r\n')).toHaveLength(21)
  })

  test('200: names the application through which a person acted, and the agent of a key', async () => {
    followClock(local)
    const made = await newClient(acme, { ...CODE_CLIENT, scopes: ['openid', 'evidence:read'] })
    local.clock.moveTo(local.clock.now() + 60_000)
    const { tokens } = await authorized(local, await discovered(local, made), acme.owner, {
      scope: 'openid evidence:read',
    })
    vi.restoreAllMocks()
    const agent_id = 'shop-assistant'
    const { body: key } = await owner.call(keys.create, {
      body: { name: 'k', kind: 'live', scopes: ['governance:read'], agent_id },
    })
    await acme.as({ key: tokens.access_token }).call(keys.list)
    await acme.as({ key: key.key }).call(keys.list)
    const { client_id } = made

    const [byAgent, byApplication] = await entries({ outcome: 'denied' })
    expect(byApplication?.actor).toEqual({ type: 'user', id: owner.user_id, email: acme.owner.email, client_id })
    expect(byAgent?.actor).toEqual({ type: 'api_key', id: key.id, api_key_id: key.id, agent_id })
    expect(await entries({ client_id, outcome: 'denied' })).toEqual([byApplication])
    const { body: csv } = await log({ format: 'csv', outcome: 'denied' })
    const lines = String(csv).trim().split('\r\n')
    expect(lines.map((line) => line.split(',').slice(-2))).toEqual([
      ['client_id', 'agent_id'],
      ['', agent_id],
      [client_id, ''],
    ])
  })

  test('403: is for those who may read it', async () => {
    const approver = await signIn(local, acme.approver)

    expect((await log({}, approver)).status).toBe(403)
  })

  test('200: shows nothing of another tenant or of the other mode', async () => {
    const key = await makeAndRevoke()
    const other = await local.tenant()
    for (const [tenant_id, credential] of [
      [other.tenant_id, other.live_key],
      [other.tenant_id, other.test_key],
      [acme.tenant_id, acme.test_key],
    ] as const) {
      const reply = await local.call(security.auditLogs, { params: { tenant_id }, key: credential })

      expect(reply.status).toBe(200)
      expect(JSON.stringify(reply.body)).not.toContain(key.id)
    }
  })
})
