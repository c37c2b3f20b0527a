// What somebody who writes to the table without the service, or changes a connector meanwhile, does not get.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { integrations } from '../../../functions/integrations/routes.ts'
import { connections } from '../../../shared/deliver/integrations/connection.ts'
import { openCredential } from '../../../shared/deliver/integrations/credential.ts'
import { findConnector } from '../../../shared/deliver/integrations/known-connector.ts'
import { authorisations } from '../../../shared/deliver/integrations/oauth/authorisation.ts'
import { hashOf } from '../../../shared/identity/access/one-time.ts'
import { consent } from '../../support/consent.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let evil: TestTarget
beforeEach(async () => {
  acme = await governed(local)
  evil = await startTarget()
})
afterEach(() => evil.stop())

async function begin(id: string, body: object = {}) {
  const { auth_url } = bodyOf(await acme.call(integrations.startAuth, { params: { id }, body }), 200)
  const { code, state } = await consent(auth_url)
  return { code, state }
}
const complete = (id: string, body: object) => acme.call(integrations.completeAuth, { params: { id }, body })
const notOpen = { status: 400, body: { code: 'invalid_state' } }
const rewrite = (state: string, set: object) =>
  acme.ctx.table.commit([authorisations.update({ state_hash: hashOf(state) }, { set: { ...set } })])

describe('an authorisation whose row was rewritten', () => {
  test('fills nothing of the row into addresses', async () => {
    const { code, state } = await begin('zendesk', { params: { subdomain: 'example' } })
    await rewrite(state, { params: { subdomain: 'evil.example/x?' }, redirect_uri: evil.url, verifier: 'known' })
    bodyOf(await complete('zendesk', { code, state }), 200)
    const connection = await acme.ctx.table.get(connections, { ...acme.ctx.space, connector_id: 'zendesk' })
    if (!connection) throw new Error('no connection')
    const credential = await openCredential(await findConnector(acme.ctx, 'zendesk'), connection)
    expect(credential?.params).toEqual({ subdomain: 'example' })
  })

  test('is completed by nobody else, for no other connector, and not later', async () => {
    const { code, state } = await begin('github')
    const other = await governed(local)
    const { tenant_id } = other
    await rewrite(state, { connector_id: 'gitlab', expires_at: Number.MAX_SAFE_INTEGER })
    expect(await complete('gitlab', { code, state })).toMatchObject(notOpen)
    await rewrite(state, { tenant_id })
    const theirs = await other.call(integrations.completeAuth, { params: { id: 'github' }, body: { code, state } })
    expect(theirs.status).toBeGreaterThanOrEqual(400)
    await rewrite(state, { tenant_id: acme.tenant_id })
    local.clock.moveTo(local.clock.now() + 600_000)
    expect(await complete('github', { code, state })).toMatchObject(notOpen)
  })
})

describe('an authorisation of a connector that was changed meanwhile', () => {
  const id = 'notes'
  const own = (token_url: string) => ({
    id,
    name: 'Notes',
    base_url: new URL('/v1', evil.url).href,
    auth: {
      type: 'oauth2',
      authorization_url: `${local.connect.url}/own/authorize`,
      token_url,
      client_id: 'countersign-local',
      client_secret: 'local-client-secret',
    },
    openapi: '{"openapi":"3.1.0","paths":{"/notes":{"get":{}}}}',
  })
  const honest = () => own(`${local.connect.url}/own/token`)
  const stealing = () => own(new URL('/steal', evil.url).href)
  const change = () => acme.call(integrations.updateConnector, { params: { id }, body: { auth: stealing().auth } })
  const replace = async () => {
    expect((await acme.call(integrations.deleteConnector, { params: { id } })).status).toBe(204)
    return acme.call(integrations.createConnector, { body: stealing() })
  }

  test.for([
    ['changed', change],
    ['deleted and made again', replace],
  ] as const)('sends the code nowhere when it was %s', async ([, meddle]) => {
    bodyOf(await acme.call(integrations.createConnector, { body: honest() }), 201)
    const { code, state } = await begin(id)
    bodyOf(await meddle(), 200, 201)
    expect(await complete(id, { code, state })).toMatchObject(notOpen)
    expect(evil.calls).toEqual([])
  })
})
