// Whoever could have asked for an action cannot approve it: who made or was ever shown the credential, and who made or steers
// the client that acts for somebody else.
import * as client from 'openid-client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { clients } from '../../../functions/clients/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { authorized, CALLBACK, CODE_CLIENT, discovered, followClock, MACHINE, newClient } from '../../support/oauth.ts'
import { showFactor } from '../../support/factors.ts'
import { type Person, personWith } from '../../support/people.ts'
import { type SignedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let owner: SignedIn
let admin: Person
let other: Person
beforeAll(async () => {
  followClock(local)
  acme = await governed(local)
  owner = await signIn(local, acme.owner)
  admin = await personWith(local, owner, ['admin'])
  other = await personWith(local, owner, ['approver'])
})
afterAll(() => {
  vi.restoreAllMocks()
})

const OWN = 'You cannot approve an action that you requested. Ask another approver.'
const EXECUTING = [...MACHINE.scopes, 'agent:execute']

/** What becomes of a request made with this credential when these people approve it. */
async function outcomes(key: string, ...people: { access_token: string }[]) {
  const { approval } = await acme.held('delete_contact', {}, { key })
  const said = []
  for (const { access_token } of people) {
    const { body } = await acme.approve(approval.id, {}, { key: access_token })
    said.push(body.detail ?? body.status)
  }
  return said
}

type Machine = { client_id: string; client_secret?: string }
async function tokenOf(machine: Machine): Promise<string> {
  return (await client.clientCredentialsGrant(await discovered(local, machine))).access_token
}

test('who rotates a colleague’s key stands behind what it asks for from then on, and so does the colleague', async () => {
  const scopes = ['governance:read', 'agent:execute']
  const made = bodyOf(await owner.call(keys.create, { body: { name: 'Robot', kind: 'live', scopes } }), 201)
  const once = bodyOf(await admin.call(keys.rotate, { params: { id: made.id }, body: {} }), 201)

  expect(await outcomes(made.key, owner, admin)).toEqual([OWN, 'approved']) // the former key was never theirs
  expect(await outcomes(once.key, admin, owner, other)).toEqual([OWN, OWN, 'approved'])
})

test('who rotates the secret of a colleague’s client does, too, although its tokens were met before', async () => {
  const robot: Machine = await newClient(owner, { ...MACHINE, scopes: EXECUTING })
  expect(await outcomes(await tokenOf(robot), owner, other)).toEqual([OWN, 'approved'])

  const { body } = await admin.call(clients.rotateSecret, { params: { client_id: robot.client_id }, body: {} })
  const stolen = await tokenOf({ ...robot, client_secret: body.client_secret })

  expect(await outcomes(stolen, admin, owner, other)).toEqual([OWN, OWN, 'approved'])
})

test('so does the person behind the key that made a client', async () => {
  const robot = await newClient(acme, { ...MACHINE, scopes: EXECUTING })

  expect(await outcomes(await tokenOf(robot), owner, other)).toEqual([OWN, 'approved'])
})

test('a client that acts for somebody lends them nobody’s vote: not theirs, nor its maker’s, nor of who steers it', async () => {
  const scopes = ['openid', 'agent:execute']
  const made = await newClient(await showFactor(local, admin), { ...CODE_CLIENT, scopes, skip_consent: true })
  const steering = await showFactor(local, await personWith(local, owner, ['admin']))
  const redirect_uris = [CALLBACK, 'https://steering.example/callback']
  bodyOf(await steering.call(clients.update, { params: { client_id: made.client_id }, body: { redirect_uris } }), 200)

  const config = await discovered(local, made)
  const { tokens } = await authorized(local, config, acme.owner, { scope: scopes.join(' ') })

  const said = await outcomes(tokens.access_token, owner, admin, steering, other)
  expect(said).toEqual([OWN, OWN, OWN, 'approved'])
})
