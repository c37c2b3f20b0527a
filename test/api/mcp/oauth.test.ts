// The whole way of an agent without a key, by the real client: from the first 401 over the person's consent to a tool call.
import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { allowInsecureRequests, ClientSecretBasic, clientCredentialsGrant, discovery } from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { clients } from '../../../functions/clients/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { approvalLink } from '../../../shared/govern/approvals/votes/rules.ts'
import { grants, grantsKey } from '../../../shared/govern/approvals/grants/grant.ts'
import { executions } from '../../../shared/govern/executions/execution.ts'
import { artifactKey, artifacts } from '../../../shared/ledger/evidence/artifact/artifact.ts'
import { mcpResource } from '../../../shared/identity/oauth/resources.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { setTransport } from '../../../shared/base/lib/safe-http.ts'
import { Browser } from '../../support/browser.ts'
import { BROKERED, bodyOf, type Governed, governed } from '../../support/governed.ts'
import { PASSWORD } from '../../support/local-stack.ts'
import { modern, useTool } from '../../support/mcp.ts'
import { agree, authorized, CALLBACK, CODE_CLIENT, discovered, followClock, newClient } from '../../support/oauth.ts'
import { signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
const DOCUMENT = 'https://claude.ai/oauth/referee'
let acme: Governed
let other: Governed

beforeAll(async () => {
  followClock(local)
  ;[acme, other] = [await governed(local), await governed(local)]
})
beforeEach(() => {
  setTransport(async () => {
    const body = Buffer.from(JSON.stringify({ client_id: DOCUMENT, client_name: 'Referee', redirect_uris: [CALLBACK] }))
    return { kind: 'answer', status: 200, headers: {}, body, body_end: 'whole', latency_ms: 1 }
  })
})
afterAll(() => {
  setTransport()
  vi.restoreAllMocks()
})

/** What the client keeps, and where it would send the person. */
class Kept implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK
  readonly clientMetadata = { client_name: 'Referee', redirect_uris: [CALLBACK] }
  readonly clientMetadataUrl = DOCUMENT
  asked: URL | undefined
  #known: StoredOAuthClientInformation | undefined
  #tokens: StoredOAuthTokens | undefined
  #verifier = ''

  constructor(client_id?: string) {
    this.#known = client_id === undefined ? undefined : { client_id }
  }

  clientInformation = () => this.#known
  saveClientInformation = (known: StoredOAuthClientInformation) => void (this.#known = known)
  tokens = () => this.#tokens
  saveTokens = (tokens: StoredOAuthTokens) => void (this.#tokens = tokens)
  redirectToAuthorization = (url: URL) => void (this.asked = url)
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier)
  codeVerifier = () => this.#verifier
}

const INFO = { name: 'referee', version: '1.0.0' }
const transportOf = (authProvider: OAuthClientProvider, { tenant_id }: Governed = acme) =>
  new StreamableHTTPClientTransport(new URL(mcpResource(tenant_id)), { authProvider })

/** From the first refusal to a connection in the name of the owner. */
async function connected(kept: Kept): Promise<Client> {
  const first = transportOf(kept)
  await expect(new Client(INFO).connect(first)).rejects.toThrow('Unauthorized')
  const place = await agree(new Browser(local.appUrl), kept.asked ?? new URL(local.appUrl), acme.owner)
  await first.finishAuth(new URL(place.url).searchParams)
  const client = new Client(INFO)
  await client.connect(transportOf(kept))
  return client
}

const registered = async () => {
  const scopes = ['openid', 'offline_access', 'agent:execute', 'governance:read']
  return (await newClient(acme, { ...CODE_CLIENT, scopes })).client_id
}

test('the first refusal says in its header where to go and what to ask for', async () => {
  const { headers } = await fetch(mcpResource(acme.tenant_id), { method: 'POST', body: '{}' })
  const header = headers.get('www-authenticate') ?? ''
  const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(header) ?? []
  const [, scope] = /scope="([^"]+)"/.exec(header) ?? []
  const { resource, scopes_supported } = (await (await fetch(metadata)).json()) as Record<string, unknown>
  expect(resource).toBe(mcpResource(acme.tenant_id))
  expect(scopes_supported).toEqual(scope?.split(' '))

  const kept = new Kept(await registered())
  await expect(new Client(INFO).connect(transportOf(kept))).rejects.toThrow('Unauthorized')
  expect(kept.asked?.searchParams.get('scope')).toBe(scope)
})

test('a token that has expired, is foreign or broken is challenged before the function is called', async () => {
  const kept = new Kept(await registered())
  await (await connected(kept)).close()
  const token = kept.tokens()?.access_token ?? ''
  const call = async (bearer: string, { tenant_id }: Governed = acme) => {
    const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' })
    const reply = await fetch(mcpResource(tenant_id), { method: 'POST', headers, body })
    return [reply.status, reply.headers.get('www-authenticate')?.startsWith('Bearer resource_metadata="') ?? false]
  }

  expect(await call(token)).toEqual([200, false])
  expect(await call(token, other)).toEqual([401, true])
  expect(await call(token.slice(1))).toEqual([401, false]) // plausible: only the function sees the signature
  expect(await call(token.replace(/\.[^.]*/, '.e30'))).toEqual([401, true])
  local.clock.moveTo(local.clock.now() + 16 * 60_000)
  expect(await call(token)).toEqual([401, true])
})

describe.each([
  ['that the tenant registered', async () => new Kept(await registered())],
  ['that a document describes', async () => new Kept()],
])('a client %s', (_, make) => {
  test('finds the server, is agreed to, and runs tools in the name of the person', async () => {
    const client = await connected(await make())

    const called = await client.callTool({ name: 'editor_get_contact', arguments: {} })
    expect(called).toMatchObject({ structuredContent: { status: 'executed' } })
    const held = await client.callTool({ name: 'editor_delete_contact', arguments: {} })
    const { approval } = held.structuredContent as { approval: { id: string; url: string } }
    expect(await acme.approval(approval.id)).toMatchObject({ requested_by: { type: 'user', id: acme.owner.id } })
    await client.close()
  })

  test('goes on after its access token has ended, by refreshing it', async () => {
    const kept = await make()
    const client = await connected(kept)
    const before = kept.tokens()?.access_token
    local.clock.moveTo(local.clock.now() + 16 * 60_000)
    coldStart()

    expect(await client.callTool({ name: 'editor_get_contact', arguments: {} })).toMatchObject({
      structuredContent: { status: 'executed' },
    })
    expect(kept.tokens()?.access_token).not.toBe(before)
    await client.close()
  })
})

test('a client that acts for itself runs tools with a token for them', async () => {
  const robot = await newClient(acme, {
    name: 'Robot',
    type: 'confidential',
    grant_types: ['client_credentials'],
    scopes: ['agent:execute', 'governance:read'],
  })
  const { client_id, client_secret = '' } = robot
  // oxlint-disable-next-line typescript/no-deprecated -- marked so by its authors only to be noticed
  const execute = [allowInsecureRequests]
  const config = await discovery(new URL(local.appUrl), client_id, undefined, ClientSecretBasic(client_secret), {
    execute,
  })
  const { access_token } = await clientCredentialsGrant(config, { resource: mcpResource(acme.tenant_id) })

  const reply = await modern(acme, 'tools/call', { name: 'editor_get_contact', arguments: {} }, { key: access_token })
  expect(reply.body.result).toMatchObject({ structuredContent: { status: 'executed' } })
})

describe('refused are', () => {
  test('a token for the tools at the API, at another tenant, and one for the API at the tools', async () => {
    const kept = new Kept(await registered())
    await (await connected(kept)).close()
    const key = kept.tokens()?.access_token ?? ''
    expect((await acme.as({ key }).call(approvals.list)).status).toBe(401)
    expect((await modern(other, 'tools/list', {}, { key })).status).toBe(401)

    const config = await discovered(local, await newClient(acme))
    const { tokens } = await authorized(local, config, acme.owner)
    expect((await modern(acme, 'tools/list', {}, { key: tokens.access_token })).status).toBe(401)
  })

  test('a client of a document once the tenant has disabled it', async () => {
    const kept = new Kept()
    const client = await connected(kept)
    const { body } = await acme.call(clients.list)
    const { items } = body as { items: { client_id: string; document?: string }[] } // the reply's own shape
    const { client_id = '' } = items.find(({ document }) => document === DOCUMENT) ?? {}
    await acme.call(clients.update, { params: { client_id }, body: { status: 'disabled' } })
    local.clock.moveTo(local.clock.now() + 30_001)

    const key = kept.tokens()?.access_token ?? ''
    expect((await modern(acme, 'tools/list', {}, { key })).status).toBe(401)
    await acme.call(clients.update, { params: { client_id }, body: { status: 'active' } })
    await client.close()
  })
})

describe('a client that acts for a person', () => {
  const SCOPES = ['openid', 'agent:execute', 'governance:read']
  type Agreed = { client_id: string; api: string; tools: string }
  let it: Governed
  let one: Agreed
  let two: Agreed
  let person: string
  beforeAll(async () => {
    it = await governed(local, [...BROKERED, { action_id: 'list_contacts' }, { action_id: 'update_note' }])
    one = await agreed()
    two = await agreed()
    person = (await signIn(local, it.owner)).access_token
  })

  /** A client that the owner has agreed to: a token for the API, and one for the tools. */
  async function agreed(): Promise<Agreed> {
    const { client_id } = await newClient(it, { ...CODE_CLIENT, scopes: SCOPES })
    const config = await discovered(local, { client_id })
    const token = async (more = {}) =>
      (await authorized(local, config, it.owner, { scope: SCOPES.join(' '), ...more })).tokens.access_token
    return { client_id, api: await token(), tools: await token({ resource: mcpResource(it.tenant_id) }) }
  }

  /** Of the first client, the second, and the person. */
  async function statuses(action = 'get_contact') {
    const all = []
    for (const key of [one.api, two.api, person]) all.push((await it.execute(action, {}, { key })).status)
    return all
  }
  const freeze = async (scope: object) => {
    const body = { scope, reason: 'It may have been taken over.' }
    return bodyOf(await it.call(security.setFreeze, { params: { tenant_id: it.tenant_id }, body }), 201)
  }

  test('is named by receipt, list, approval and evidence', async () => {
    const { client_id } = one
    const ran = bodyOf(await it.execute('get_contact', {}, { key: one.api }), 200)
    const held = await it.held('delete_contact', {}, { key: one.api })
    const called = (await useTool(it, 'editor_get_contact', {}, { key: one.tools })).structuredContent
    const { items } = bodyOf(await it.call(protocol.listExecutions), 200)

    expect(ran.receipt).toMatchObject({ client_id, agent_bound: false })
    expect(items).toHaveLength(3)
    for (const item of items) expect(item).toMatchObject({ client_id, requested_by: { type: 'user', id: it.owner.id } })
    expect(await it.approval(held.approval.id)).toMatchObject({ client_id, binding: { client_id } })
    const { evidence } = await it.look(called.request_id)
    const { header = '' } =
      (await it.ctx.table.get(artifacts, artifactKey(it.ctx.space, evidence[0].artifact_id))) ?? {}
    expect(JSON.parse(header)).toMatchObject({ actor: { kind: 'user' }, data: { client_id } })
    expect(bodyOf(await it.execute('get_contact', {}, { key: person }), 200).receipt.client_id).toBeUndefined()
  })

  test('is named to the person who decides, and its name cannot deceive', async () => {
    const { approval } = await it.held('delete_contact', {}, { key: one.api })
    const params = { client_id: one.client_id }
    bodyOf(await it.call(clients.update, { params, body: { name: 'Repo\u202erter' } }), 422)
    bodyOf(await it.call(clients.update, { params, body: { name: 'Reporter <b>' } }), 200)
    const browser = new Browser(local.appUrl)
    const { email } = it.approver
    const place = await browser.open(approvalLink(it.tenant_id, approval.id))
    const { text } = await browser.press(place, 'password', { email, password: PASSWORD })

    expect(text).toContain(`, through the application Reporter &lt;b&gt; (${one.client_id})`)
  })

  test('sees nothing of what another one asked for', async () => {
    await it.change({ answer_repeats: true })
    const call = (key: string) => useTool(it, 'editor_delete_contact', { contact: 'con_9' }, { key })
    const { request_id } = (await call(one.tools)).structuredContent
    const wait = (key: string) => useTool(it, 'countersign_wait', { request_id, seconds: 0 }, { key })

    expect((await call(one.tools)).structuredContent).toMatchObject({ request_id })
    expect((await call(two.tools)).structuredContent.request_id).not.toBe(request_id)
    expect((await wait(one.tools)).structuredContent).toMatchObject({ request_id })
    expect(await wait(two.tools)).toMatchObject({ isError: true })
    await it.change({ answer_repeats: false })
  })

  test('comes under policies for agents, and gets nothing that is meant for people', async () => {
    const scope = { agents: ['agt_other'], action_ids: ['list_contacts'] }
    await it.policy({ name: 'bots', effect: 'forbid', scope })
    expect(await statuses('list_contacts')).toEqual([403, 403, 200])

    const when = { field: 'principal.type', op: 'eq', value: 'user' }
    await it.policy({
      name: 'people',
      effect: 'relax_to',
      tier: 'AUTO',
      scope: { action_ids: ['update_contact'] },
      when,
    })
    const tierFor = async (key: string) =>
      (await it.execute('update_contact', {}, { key })).body.receipt.routing_decision.tier
    expect([await tierFor(one.api), await tierFor(person)]).toEqual(['SOFT', 'AUTO'])
  })

  test('alone uses a grant that was given for its request', async () => {
    const approval = { stages: [{ groups: ['any'] }], grant: { max_s: 3_600, max_uses: 5 } }
    await it.policy({ name: 'ask', effect: 'require_approval', scope: { action_ids: ['update_note'] }, approval })
    const held = await it.held('update_note', {}, { key: one.api })
    bodyOf(await it.approve(held.approval.id, { allow_for_s: 3_600 }), 200)
    expect(await statuses('update_note')).toEqual([200, 202, 202])

    const { table, space } = it.ctx
    const [given] = await table.query(grants, { pk: grantsKey(space), index: 'gsi1' })
    if (!given) throw new Error('there is no grant')
    const { client_id, ...forged } = given
    expect(client_id).toBe(one.client_id)
    await table.commit([grants.insert(forged), grants.insert({ ...forged, client_id: two.client_id })])
    expect(await statuses('update_note')).toEqual([200, 202, 202])
  })

  test('is bound by the approval: an action whose client was taken from the table does not run', async () => {
    const held = await it.held('delete_contact', {}, { key: one.api })
    const row = await it.ctx.table.get(executions, { ...it.ctx.space, id: held.receipt.request_id })
    if (!row) throw new Error('nothing is held')
    const { client_id: _, ...forged } = row
    await it.ctx.table.commit([executions.replace(forged, row)])

    expect((await it.approve(held.approval.id)).body.status).not.toBe('approved')
    expect((await it.look(row.id)).status).toBe('rejected')
  })

  test('may not have more waiting than the tenant lets a caller have', async () => {
    await it.change({ max_open_approvals: 1 })
    await it.held('delete_contact', {}, { key: person })
    expect(await statuses('delete_contact')).toEqual([403, 403, 202])
  })

  test('is stopped by a freeze of it alone, and by one of any agent, and the person is not', async () => {
    const first = await freeze({ principals: [one.client_id] })
    expect(await statuses()).toEqual([403, 200, 200])
    const refused = await useTool(it, 'editor_get_contact', {}, { key: one.tools })
    expect(refused).toMatchObject({ isError: true, structuredContent: { policy_id: `freeze:${first.id}` } })
    expect(first.also_stops).toEqual([])

    const { also_stops } = await freeze({ agents: ['agt_other'] })
    expect(also_stops).toContainEqual(expect.objectContaining({ type: 'client', id: two.client_id }))
    expect(await statuses()).toEqual([403, 403, 200])
  })
})
