import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { security } from '../../../functions/security/routes.ts'
import { integrations } from '../../../functions/integrations/routes.ts'
import type { Context } from '../../../shared/base/context.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { CompleteInput, completeAuthorisation } from '../../../shared/deliver/integrations/complete-authorisation.ts'
import { connections } from '../../../shared/deliver/integrations/connection.ts'
import { openCredential } from '../../../shared/deliver/integrations/credential.ts'
import { findConnector } from '../../../shared/deliver/integrations/known-connector.ts'
import { FORWARDED } from '../../../shared/deliver/integrations/nango/forward.ts'
import { nangoConnections } from '../../../shared/deliver/integrations/nango/nango-connection.ts'
import { isSigned } from '../../../shared/deliver/integrations/nango/verify.ts'
import { authorisations } from '../../../shared/deliver/integrations/oauth/authorisation.ts'
import { openConnection } from '../../../shared/deliver/integrations/open-connection.ts'
import { connectorSettings } from '../../../shared/deliver/integrations/connector.ts'
import { StartInput, startAuthorisation } from '../../../shared/deliver/integrations/start-authorisation.ts'
import { recordsPartition, syncedRecords } from '../../../shared/deliver/integrations/sync/record.ts'
import { updateConnector } from '../../../shared/deliver/integrations/update-connector.ts'
import { hashOf } from '../../../shared/identity/access/one-time.ts'
import { users } from '../../../shared/identity/accounts/user.ts'
import { bodyOf, type Governed, governed, NODE_ID, requestOf } from '../../support/governed.ts'
import { type Nango, signed, startNango } from '../../support/nango.ts'
import { json, startTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let nango: Nango
/** Of the connection at Nango, which no other tenant has. */
let id: string
let count = 0
beforeEach(async () => {
  acme = await governed(local)
  nango = await startNango()
  id = `nango-${(count += 1)}`
  Object.assign(local.providers, nango.secrets)
  coldStart()
})
afterEach(async () => {
  delete local.providers['nango']
  coldStart()
  await nango.stop()
})

const params = { id: 'hubspot' }
const start = async () => bodyOf(await acme.call(integrations.startAuth, { params, body: {} }), 200)
const complete = (body: object) => acme.call(integrations.completeAuth, { params, body })
const shown = async () => bodyOf(await acme.call(integrations.getConnector, { params }), 200)
const opened = async () => (await openConnection(acme.ctx, params.id))?.headers.authorization

const post = async (body: string, headers = signed(body)) =>
  (await fetch(`${local.apiUrl}/api/webhooks/nango`, { method: 'POST', body, headers })).status

/** As Nango sends it; `headers` replaces the right signature. */
async function send(message: object | string, headers?: Record<string, string>) {
  const status = await post(
    typeof message === 'string' ? message : JSON.stringify({ from: 'nango', ...message }),
    headers,
  )
  await local.drain()
  return status
}
const about = (connectionId: string, more: object) => ({ connectionId, providerConfigKey: params.id, ...more })
const creation = (nangoId: string) =>
  about(nangoId, { type: 'auth', operation: 'creation', success: true, tags: nango.tags() })

/** In the audit log. */
const refusals = async () => {
  const of = { params: { tenant_id: acme.tenant_id }, query: { action: 'connection.refused' } }
  return bodyOf(await acme.call(security.auditLogs, of), 200).items
}

async function connect(nangoId: string) {
  const { state } = await start()
  nango.agree(nangoId)
  return bodyOf(await complete({ state, connection_id: nangoId }), 200)
}

describe('a connection by Nango', () => {
  test('is completed by whoever began it, and its tokens stay there', async () => {
    expect((await start()).auth_url).toBe('https://connect.nango.example/session')
    const { connection_id } = await connect(id)
    expect(connection_id).toMatch(/^con_/)
    expect(await opened()).toBe(`Bearer token-of-${id}`)
    const connection = await openConnection(acme.ctx, params.id)
    expect(await connection?.renewed()).toMatchObject({ authorization: `Bearer token-of-${id}+` })
    const off = await acme.call(integrations.disconnect, { params, body: {} })
    expect(off.body).toMatchObject({ revoked_at_provider: true })
    expect(nango.held.size).toBe(0)
  })

  test('ends as needs_reauth when the provider has refused what Nango tried, and stays when Nango fails', async () => {
    await connect(id)
    const odd = await startTarget()
    onTestFinished(() => odd.stop())
    Object.assign(local.providers, { nango: { ...Object(local.providers['nango']), host: odd.url } })
    coldStart()
    odd.next(json(500, {}))
    await expect(opened()).rejects.toThrow('does not answer')
    expect(await shown()).toMatchObject({ status: 'active' })
    odd.next(json(424, { error: { code: 'invalid_credentials', message: 'The refresh limit has been reached.' } }))
    expect(await opened()).toBeUndefined()
    expect(await shown()).toMatchObject({ status: 'needs_reauth' })
  })

  test('of somebody else is not taken', async () => {
    await start()
    nango.agree('theirs')
    const { state } = await start()
    expect(await complete({ state, connection_id: 'theirs' })).toMatchObject({ status: 400 })
    expect(await shown()).not.toMatchObject({ status: 'active' })
  })

  test('of another tenant gives no token, whatever the row says', async () => {
    await connect('theirs')
    acme = await governed(local)
    await connect(id)
    const was = await acme.ctx.table.get(connections, { ...acme.ctx.space, connector_id: params.id })
    if (!was) throw new Error('no connection')
    await acme.ctx.table.commit([connections.replace({ ...was, nango_id: 'theirs' }, was)])
    expect(await opened()).toBeUndefined()
  })

  test('is made by a message, too, and completing it then changes nothing', async () => {
    const { state } = await start()
    nango.agree(id)
    expect(await send(creation(id))).toBe(200)
    expect(await shown()).toMatchObject({ status: 'active' })
    bodyOf(await complete({ state, connection_id: id }), 200)
    expect(await send(creation(id))).toBe(200)
    expect(await shown()).toMatchObject({ status: 'active' })
  })

  test('that Nango could not make is an error until a further try succeeds', async () => {
    await start()
    nango.agree(id)
    const failed = { ...creation(id), success: false, error: { type: 'access_denied' } }
    for (let times = 0; times < 2; times += 1) expect(await send(failed)).toBe(200)
    expect(await shown()).toMatchObject({ status: 'error' })
    expect(await refusals()).toMatchObject([{ outcome: 'success' }])
    await send(creation(id))
    expect(await shown()).toMatchObject({ status: 'active' })
  })

  test('that comes too late is noted once, and not made', async () => {
    await start()
    nango.agree(id)
    local.clock.moveTo(local.clock.now() + 600_000)
    for (let times = 0; times < 2; times += 1) await send(creation(id))
    expect(await shown()).not.toMatchObject({ status: 'active' })
    expect(await refusals()).toMatchObject([{ outcome: 'failure', reason: 'too late' }])
  })

  test('keeps the id that its first authorisation was recorded under', async () => {
    const told = await acme.told(start)
    const { connection_id } = await connect(id)
    expect(JSON.stringify(told)).toContain(connection_id)
  })

  test('that works is renewed when people agree anew, and not by a refresh', async () => {
    const { connection_id } = await connect(id)
    const connected = async (operation: string) => {
      const told = await acme.told(() => send(about(id, { type: 'auth', operation, success: true })))
      return told.filter(({ type }) => type === 'integration.connected').map(({ data }) => data)
    }
    expect(await connected('refresh')).toEqual([])
    expect(await connected('override')).toEqual([expect.objectContaining({ connection_id, reauthorized: true })])
    expect(await opened()).toBe(`Bearer token-of-${id}`)
  })

  test('whose tokens Nango could not renew needs people, until Nango has new ones', async () => {
    const { connection_id } = await connect(id)
    await send(about(id, { type: 'auth', operation: 'refresh', success: false }))
    expect(await shown()).toMatchObject({ status: 'needs_reauth' })
    const told = await acme.told(() => send(about(id, { type: 'auth', operation: 'override', success: true })))
    expect(told).toContainEqual(
      expect.objectContaining({
        type: 'integration.connected',
        data: expect.objectContaining({ connection_id, reauthorized: true }),
      }),
    )
    expect(await opened()).toBe(`Bearer token-of-${id}`)
  })
})

describe('a forwarded message', () => {
  const rule = { path: 'event.type', equals: 'contact.updated', node_id: NODE_ID, action_id: 'update_contact' }
  const forwarded = (n: number, type = 'contact.updated') =>
    about(id, { type: 'forward', payload: { event: { type, n } } })
  const requested = (told: { type: string }[]) => told.filter(({ type }) => type === 'action.requested').length

  test('requests the action of the first rule that fits, once', async () => {
    bodyOf(await acme.call(integrations.updateConnector, { params, body: { inbound: [rule] } }), 200)
    await connect(id)
    const told = await acme.told(async () => {
      for (const message of [forwarded(1), forwarded(1), forwarded(2, 'other')]) expect(await send(message)).toBe(200)
    })
    expect(requested(told)).toBe(1)
  })
})

test('what a message asks for is not approved by whoever wrote its rule', async () => {
  const rule = { path: 'type', equals: 'gone', node_id: NODE_ID, action_id: 'delete_contact' }
  bodyOf(await acme.call(integrations.updateConnector, { params, body: { inbound: [rule] } }), 200)
  await connect(id)
  const told = await acme.told(() => send(about(id, { type: 'forward', payload: { type: 'gone' } })))
  const asked = told.find(({ type }) => type === 'protocol.approval.requested')
  const approval_id = String((asked?.data as { approval_id?: string } | undefined)?.approval_id)
  expect((await acme.approve(approval_id, {}, { key: acme.live_key })).status).toBe(403)
  bodyOf(await acme.approve(approval_id), 200)
})

describe('a message, when the table was rewritten or people have left,', () => {
  const rule = { path: 'type', equals: 'gone', node_id: NODE_ID, action_id: 'delete_contact' }
  const gone = (nangoId = id) => about(nangoId, { type: 'forward', payload: { type: 'gone' } })
  const askedBy = async (happening: () => Promise<unknown>) => {
    const told = await acme.told(happening)
    const found = told.filter(({ type }) => type === 'protocol.approval.requested')
    return found.map(({ data }) => String((data as { approval_id?: string }).approval_id))
  }
  const settingsKey = () => ({ ...acme.ctx.space, connector_id: params.id })
  const rewriteSettings = (set: object) =>
    acme.ctx.table.commit([connectorSettings.update(settingsKey(), { set: { ...settingsKey(), ...set } })])
  const approver = () => requestOf(acme, acme.approver.id)
  const ruled = (by: Context = approver()) => updateConnector(by, params.id, { inbound: [rule] })
  const leave = async (user_id: string) => {
    const user = await acme.ctx.table.get(users, { tenant_id: acme.tenant_id, id: user_id })
    if (!user) throw new Error('no such person')
    await acme.ctx.table.commit([users.replace({ ...user, status: 'suspended' }, user)])
  }

  test('asks for nothing by a rule that nobody wrote', async () => {
    await connect(id)
    await rewriteSettings({ inbound: [rule], inbound_persons: [] })
    expect(await askedBy(() => send(gone()))).toEqual([])
    await ruled()
    await rewriteSettings({ inbound: [{ ...rule, action_id: 'update_contact' }] })
    const told = await acme.told(() => send(about(id, { type: 'forward', payload: { type: 'gone', n: 2 } })))
    expect(told.map(({ type }) => type)).not.toContain('action.requested')
  })

  test('is still not approved by whoever wrote its rule', async () => {
    await connect(id)
    await ruled()
    await rewriteSettings({ inbound_persons: [] })
    const [approval_id = ''] = await askedBy(() => send(gone()))
    expect((await acme.approve(approval_id)).status).toBe(403)
  })

  test('connects in the name of whoever began, whomever the row of the authorisation names', async () => {
    const { state } = await start()
    nango.agree(id)
    const principal = `user:${acme.approver.id}`
    const set = { principal, persons: [], params: { any: 'x' } }
    await acme.ctx.table.commit([authorisations.update({ state_hash: hashOf(state) }, { set })])
    await send(creation(id))
    const stored = await acme.ctx.table.get(connections, { ...acme.ctx.space, connector_id: params.id })
    if (!stored) throw new Error('no connection')
    const credential = await openCredential(await findConnector(acme.ctx, params.id), stored)
    expect(credential).toMatchObject({ by: { type: 'api_key' }, persons: [acme.owner.id], params: {} })
  })

  test('of the connection of another tenant asks for nothing', async () => {
    const victim = acme
    await connect('victims')
    acme = await governed(local)
    await connect(id)
    await ruled()
    const was = await acme.ctx.table.get(connections, { ...acme.ctx.space, connector_id: params.id })
    if (!was) throw new Error('no connection')
    const { tenant_id } = acme
    await acme.ctx.table.commit([
      connections.replace({ ...was, nango_id: 'victims' }, was),
      nangoConnections.update({ nango_id: 'victims' }, { set: { tenant_id } }),
    ])
    expect(victim.tenant_id).not.toBe(tenant_id)
    expect(await askedBy(() => send(gone('victims')))).toEqual([])
  })

  test('asks for nothing once whoever connected has left', async () => {
    const { state } = await startAuthorisation(approver(), params.id, StartInput.parse({}))
    nango.agree(id)
    await completeAuthorisation(approver(), params.id, CompleteInput.parse({ state, connection_id: id }))
    await ruled(requestOf(acme, acme.owner.id))
    await leave(acme.approver.id)
    expect(await askedBy(() => send(gone()))).toEqual([])
    expect(await shown()).toMatchObject({ status: 'needs_reauth' })
  })

  test('is only kept once whoever wrote its rule has left', async () => {
    const { connection_id } = await connect(id)
    await ruled()
    await leave(acme.approver.id)
    expect(await askedBy(() => send(gone()))).toEqual([])
    const pk = recordsPartition({ ...acme.ctx.space, connection_id, model: FORWARDED })
    expect(await acme.ctx.table.query(syncedRecords, { pk })).toHaveLength(1)
  })
})

describe('the receiver', () => {
  const body = JSON.stringify({ from: 'nango', type: 'auth', operation: 'creation', success: true })

  test('takes only what is signed, over the very bytes', async () => {
    expect(await send(`${body} `, signed(body))).toBe(401)
    expect(await send(body, {})).toBe(401)
    expect(await send(body, { 'x-nango-signature': signed(body)['x-nango-hmac-sha256'] ?? '' })).toBe(401)
    expect(await send(body)).toBe(200)
    expect(await send('{"n": 90071992547409930000, not json')).toBe(200)
  })

  test('does not exist for others, and while nothing is configured', async () => {
    const url = `${local.apiUrl}/api/webhooks/paragon`
    expect((await fetch(url, { method: 'POST', body, headers: signed(body) })).status).toBe(404)
    delete local.providers['nango']
    coldStart()
    expect(await send(body)).toBe(404)
  })

  test('is not limited by address', async () => {
    const statuses = new Set<number>()
    for (let minute = 0; minute < 10; minute += 1)
      for (const status of await Promise.all(Array.from({ length: 101 }, () => post(body)))) statuses.add(status)
    expect(statuses).toEqual(new Set([200]))
    await local.drain()
  })

  test('takes messages of 1 MiB, and carries out what the queue has room for', async () => {
    await start()
    nango.agree(id)
    const padded = (bytes: number) => JSON.stringify({ ...creation(id), padding: '"'.repeat(bytes / 2) })
    expect(await send(padded(1_000_000))).toBe(200)
    expect(await shown()).not.toMatchObject({ status: 'active' })
    expect(await send(padded(120_000))).toBe(200)
    expect(await shown()).toMatchObject({ status: 'active' })
    expect(await send(padded(1_100_000))).toBe(413)
  })

  test('signatures are those of the published vector', () => {
    const signature = '539501290bb4ddf9ed784a80d75077a180641e22c71bf82c5cf986364aeb8fb1'
    expect(isSigned(Buffer.from(body), signature, ['other', 'nango-signing-key'])).toBe(true)
    expect(isSigned(Buffer.from(body), signature, ['other'])).toBe(false)
  })
})
