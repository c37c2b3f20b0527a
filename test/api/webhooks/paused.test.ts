// Events go to no address whose person has lost access, until an owner or administrator agrees to it.
import { beforeEach, describe, expect, test } from 'vitest'
import { events } from '../../../functions/events/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { scim } from '../../../functions/scim/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { manifest } from '../../support/any-route.ts'
import { makeKey } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { auditedActions } from '../../support/oauth.ts'
import { type Person, personWith } from '../../support/people.ts'
import { signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
let ada: Person
let sink: Receiver
beforeEach(async () => {
  acme = await local.tenant()
  owner = await signIn(local, acme.owner)
  ada = await personWith(local, owner, ['developer'])
  sink = await startReceiver()
  return () => sink.stop()
})

const hook = (over: object = {}) => ({
  name: 'Sink',
  url: `${sink.url}?token=hush`,
  events: ['evidence.emitted', 'invoice.paid'],
  ...over,
})
type Caller = Pick<SignedIn, 'call'>
const create = async ({ call }: Caller, over: object = {}): Promise<string> =>
  (await call(webhooks.create, { body: hook(over) })).body.id
const look = async (id: string) => (await owner.call(webhooks.get, { params: { id } })).body
const change = ({ call }: Caller, id: string, body: object) => call(webhooks.update, { params: { id }, body })
const remove = () => owner.call(users.delete, { params: { id: ada.user_id } })
const suspend = () => owner.call(users.update, { params: { id: ada.user_id }, body: { status: 'suspended' } })
const sent = async () => {
  await local.drain()
  sink.received.length = 0
  await acme.call(protocol.registerManifest, { body: { manifest: manifest() } })
  await local.drain()
  return sink.received.length
}
const PAUSED = { status: 'disabled', disabled_reason: 'access_ended' }

const byDirectory = (op: object) =>
  acme.call(scim.patchUser, {
    params: { id: ada.user_id },
    body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [op] },
  })
const WAYS = [
  ['is deleted over the API', remove],
  ['is deleted by a directory', () => acme.call(scim.deleteUser, { params: { id: ada.user_id } })],
  ['is suspended over the API', suspend],
  ['is suspended by a directory', () => byDirectory({ op: 'replace', path: 'active', value: false })],
] as const

describe.each(WAYS)('when a person %s', (_, end) => {
  test('their endpoints are paused, with evidence, an event and a mail that names address and events', async () => {
    const id = await create(ada)
    expect((await end()).status).toBeLessThan(300)

    expect(await look(id)).toMatchObject({ ...PAUSED, responsible: ada.user_id })
    expect(await sent()).toBe(0)
    expect(await auditedActions(acme)).toContain('webhook_endpoint.paused')
    const { body: told } = await owner.call(events.list, { query: { types: 'webhook.endpoint.disabled' } })
    expect(told.items).toMatchObject([{ data: { endpoint_id: id, status: 'disabled', reason: 'access_ended' } }])
    const mails = (await mailsTo(local, acme.owner.email)).filter(({ kind }) => kind === 'webhook_paused')
    expect(mails).toHaveLength(1)
    const text = mails[0]?.text.replaceAll('\u200B', '')
    expect(text).toContain(`Address: ${sink.url}`)
    expect(text).toContain('Events: 2: evidence.emitted, invoice.paid.')
    expect(text).not.toContain('hush')
  })
})

describe('paused are', () => {
  test('also the endpoints that a key of theirs made, and those of the other mode', async () => {
    const key = await makeKey(acme, { created_by: ada.user_id })
    const sandbox = await makeKey(acme, { created_by: ada.user_id, kind: 'test' })
    const id = await create(acme.as({ key }))
    const { body: inTest } = await local.call(webhooks.create, { key: sandbox, body: hook() })
    await remove()

    expect(await look(id)).toMatchObject(PAUSED)
    expect((await acme.as('sandbox').call(webhooks.get, { params: { id: inTest.id } })).body).toMatchObject(PAUSED)
  })

  test('endpoints of others to which they gave another address, and none whose address somebody else gave', async () => {
    const [taken, left, renamed] = [await create(owner), await create(ada), await create(owner)]
    await change(ada, taken, { url: `${sink.url}/ada` })
    await change(owner, left, { url: `${sink.url}/owner` })
    await change(ada, renamed, { name: 'Renamed', url: hook().url })
    await remove()

    expect(await look(taken)).toMatchObject(PAUSED)
    expect(await look(left)).toMatchObject({ status: 'active', responsible: owner.user_id })
    expect(await look(renamed)).toMatchObject({ status: 'active', responsible: owner.user_id })
  })

  test('those that were disabled before, so that nobody enables them unknowingly', async () => {
    const id = await create(ada, { status: 'disabled' })
    await remove()

    expect(await look(id)).toMatchObject(PAUSED)
    const key = await makeKey(acme)
    expect((await change(acme.as({ key }), id, { status: 'active' })).status).toBe(403)
  })
})

describe('a paused endpoint', () => {
  test('403: is enabled by no key and nobody but owners and administrators', async () => {
    const id = await create(ada)
    await suspend()
    const developer = await personWith(local, owner, ['developer'])

    const byKey = await change(acme, id, { status: 'active' })
    expect(byKey).toMatchObject({ status: 403, body: { code: 'person_required' } })
    expect(await change(developer, id, { status: 'active' })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    })
    await change(developer, id, { url: `${sink.url}/other`, status: 'disabled' })
    expect(await look(id)).toMatchObject(PAUSED)
    expect((await change(developer, id, { status: 'active' })).status).toBe(403)
  })

  test('is sent events again once an owner enables it, who answers for it from then on', async () => {
    const id = await create(ada)
    await suspend()
    expect((await change(owner, id, { status: 'active' })).status).toBe(200)

    expect(await look(id)).toMatchObject({ status: 'active', responsible: owner.user_id })
    expect(await sent()).toBeGreaterThan(0)
    await remove()
    expect(await look(id)).toMatchObject({ status: 'active' })
  })

  test('is told of once, however often the clean-up is repeated', async () => {
    await create(ada)
    await suspend()
    await suspend()
    await remove()
    await remove()

    const paused = (await auditedActions(acme)).filter((action) => action === 'webhook_endpoint.paused')
    expect(paused).toHaveLength(1)
  })
})
