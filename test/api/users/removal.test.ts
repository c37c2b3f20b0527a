// What a removed person leaves behind: nothing acts in their name any more, and what is the tenant's goes on.
import * as client from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { clients } from '../../../functions/clients/routes.ts'
import { events } from '../../../functions/events/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { oauth } from '../../../functions/oauth/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { scim } from '../../../functions/scim/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { mailsTo, tokenFor } from '../../support/mailbox.ts'
import { auditedActions, CALLBACK, discovered, followClock, MACHINE, newClient } from '../../support/oauth.ts'
import { freshAddress, type Person, inPerson, personWith } from '../../support/people.ts'
import { signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
let ada: Person
beforeAll(async () => {
  followClock(local)
})
afterAll(() => {
  vi.restoreAllMocks()
})
beforeEach(async () => {
  acme = await local.tenant()
  owner = await signIn(local, acme.owner)
  ada = await personWith(local, owner, ['admin'])
})

const WAYS = [
  ['over the API', () => owner.call(users.delete, { params: { id: ada.user_id } })],
  ['by a directory', () => acme.call(scim.deleteUser, { params: { id: ada.user_id } })],
] as const
const setRoles = (roles: string[]) => owner.call(users.setRoles, { params: { id: ada.user_id }, body: { roles } })
const accept = async (email: string) =>
  (
    await local.call(auth.resetPassword, {
      body: { token: await tokenFor(local, email, 'invitation'), password: PASSWORD },
    })
  ).status

describe.each(WAYS)('a person who is removed %s', (_, remove) => {
  test('acts no longer through what they made', async () => {
    const machine = await newClient(ada, MACHINE)
    const config = await discovered(local, machine)
    const { access_token: key } = await client.clientCredentialsGrant(config)
    const { body: token } = await ada.call(clients.createRegistrationToken, { body: { expires_in: 600 } })
    const email = freshAddress()
    await ada.call(users.invite, { body: { email, roles: ['member'] } })
    const link = await tokenFor(local, email, 'invitation')
    expect((await remove()).status).toBe(204)

    await expect(client.clientCredentialsGrant(config)).rejects.toMatchObject({ status: 401 })
    expect((await local.call(protocol.listManifests, { key })).status).toBe(401)
    const METADATA = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }
    expect((await local.call(oauth.register, { key: token.token, body: METADATA })).status).toBe(401)
    const body = { token: link, password: PASSWORD }
    expect((await local.call(auth.resetPassword, { body })).status).toBe(401)
    expect((await owner.call(clients.get, { params: { client_id: machine.client_id } })).status).toBe(404)
    expect(await auditedActions(acme)).toEqual(
      expect.arrayContaining(['oauth_client.deleted', 'registration_token.revoked', 'user.invitation_revoked']),
    )
  })

  test('leaves the tenant what is the tenant’s, and owners get a mail about it', async () => {
    const body = { name: 'directory', kind: 'live', scopes: ['governance:read'], service: true }
    const { body: key } = await ada.call(keys.create, { body })
    const config = await discovered(local, await newClient(ada, { ...MACHINE, service: true }))
    const hook = { name: 'Sink', url: 'https://8.8.8.8/hook', events: ['invoice.paid'] }
    const { body: sink } = await ada.call(webhooks.create, { body: hook })
    const { body: theirs } = await owner.call(webhooks.create, { body: hook })
    await ada.call(webhooks.rotateSecret, { params: { id: theirs.id }, body: {} })
    expect((await remove()).status).toBe(204)

    expect((await local.call(protocol.listManifests, { key: key.key })).status).toBe(200)
    expect((await client.clientCredentialsGrant(config)).access_token).toBeDefined()
    expect((await owner.call(keys.get, { params: { id: key.id } })).body.transferred_at).toEqual(expect.any(String))
    const { body: shown } = await owner.call(webhooks.get, { params: { id: sink.id } })
    expect(shown.secrets).toMatchObject([{ seen_by: ada.user_id, rotation_due_since: expect.any(String) }])
    const { body: kept } = await owner.call(webhooks.get, { params: { id: theirs.id } })
    expect(kept).toMatchObject({ status: 'active', secrets: [{ rotation_due_since: expect.any(String) }, {}] })
    await local.drain()
    const { body: told } = await owner.call(events.list, { query: { types: 'credential.transferred' } })
    expect(told.items.map(({ data }: { data: { credential: string } }) => data.credential).toSorted()).toEqual([
      'api_key',
      'oauth_client',
      'webhook_endpoint',
    ])
    const mails = (await mailsTo(local, acme.owner.email)).filter(({ kind }) => kind === 'credential_transferred')
    expect(mails).toHaveLength(3)
  })

  test('sends one event, also when it is repeated', async () => {
    await ada.call(keys.create, { body: { name: 'k', kind: 'live', scopes: ['governance:read'], service: true } })
    await newClient(ada, MACHINE)
    await remove()
    expect((await remove()).status).toBe(404)

    const actions = await auditedActions(acme)
    for (const one of ['api_key.transferred', 'oauth_client.deleted']) {
      expect(actions.filter((action) => action === one)).toHaveLength(1)
    }
  })
})

describe('an invitation', () => {
  const invited = async (roles: string[]) => {
    const email = freshAddress()
    await inPerson(local, ada, () => ada.call(users.invite, { body: { email, roles } }))
    return email
  }

  test('dies with the right of the inviter to give the roles, and lives again with it', async () => {
    const email = await invited(['admin'])
    await setRoles(['auditor'])
    expect(await accept(email)).toBe(401)
    await setRoles(['admin'])

    expect(await accept(email)).toBe(200)
  })

  test('dies while its inviter is suspended, also for who asks for another link', async () => {
    const email = await invited(['member'])
    await owner.call(users.update, { params: { id: ada.user_id }, body: { status: 'suspended' } })
    await local.call(auth.forgotPassword, { body: { email } })

    expect(await accept(email)).toBe(401)
  })

  test('gives what the last sender may give, and nobody who may give less sends it again', async () => {
    const email = freshAddress()
    await owner.call(users.invite, { body: { email, roles: ['owner'] } })
    expect((await ada.call(users.invite, { body: { email, roles: ['owner'] } })).status).toBe(403)

    const other = await invited(['member'])
    await setRoles(['auditor'])
    expect((await owner.call(users.invite, { body: { email: other, roles: ['member'] } })).status).toBe(200)
    expect(await accept(other)).toBe(200)
  })

  test('is answered for by who changed its roles', async () => {
    const email = await invited(['member'])
    const { body } = await owner.call(users.list, { query: { email } })
    await owner.call(users.setRoles, { params: { id: body.items[0].id }, body: { roles: ['owner'] } })
    await setRoles(['member'])

    expect(await accept(email)).toBe(200)
  })
})
