// Versions of a node that ask less of an action than the one before, or send it elsewhere.
import { beforeEach, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import type { Call, Reply } from '../../support/call.ts'
import { enrolTotp, showFactor } from '../../support/factors.ts'
import { bodyOf, type Governed, governed, manifestOf, NODE_ID } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { personWith } from '../../support/people.ts'
import { ownerInPerson, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let owner: SignedIn
beforeEach(async () => {
  acme = await governed(local)
  owner = await ownerInPerson(local, acme)
})

type Endpoint = { action_id: string } & Record<string, unknown>
let versions = 1
const register = (call: Call, endpoints: readonly Endpoint[], node: object = {}) =>
  call(protocol.registerManifest, { body: manifestOf(endpoints, { version: `${(versions += 1)}.0.0`, ...node }) })
const inForce = async (): Promise<string> =>
  bodyOf(await acme.call(protocol.getManifest, { params: { node_id: NODE_ID } }), 200).version
const approve = (call: Call, { body }: Reply) => call(approvals.approve, { params: { id: body.approval_id }, body: {} })
const http = (url: string, more: object = {}) => ({ target: { type: 'http', url, ...more } })

const PAY = { action_id: 'pay_invoice' }
const LOOSENINGS: [string, Endpoint, Endpoint][] = [
  ['tier', { action_id: 'pods_log' }, { action_id: 'pods_log', description: 'Returns the log of the pods.' }],
  ['approval_required', { action_id: 'get_it', approval_required: true }, { action_id: 'get_it' }],
  ['min_tier', { action_id: 'get_it', min_tier: 'HARD' }, { action_id: 'get_it', min_tier: 'SOFT' }],
  ['kind', { action_id: 'get_it', kind: 'payment' }, { action_id: 'get_it', kind: 'delete' }],
  ['irreversible', { ...PAY, annotations: { irreversible: true } }, PAY],
  [
    'input_schema',
    { ...PAY, input_schema: { type: 'object', 'x-countersign': { '/size': 'amount' } } },
    { ...PAY, input_schema: { type: 'object' } },
  ],
  ['target', { ...PAY, ...http('https://a.example/pay') }, { ...PAY, ...http('https://b.example/pay') }],
]

describe.each(LOOSENINGS)('a version that loosens in %s', (member, before, after) => {
  beforeEach(async () => bodyOf(await register(acme.call, [before]), 201))

  test('202: registered by a key it waits, and takes effect when a person approves it in person', async () => {
    const stood = await inForce()
    const asked = await register(acme.call, [after])

    expect(asked).toMatchObject({ status: 202, body: { status: 'pending_approval', execution_id: expect.any(String) } })
    expect(asked.headers.location).toBe(`/api/v1/work/approvals/${asked.body.approval_id}`)
    expect(await inForce()).toBe(stood)
    const { payload } = await acme.approval(asked.body.approval_id)
    expect(payload).toMatchObject({ node_id: NODE_ID, version: asked.body.version, replaces: stood })
    expect(payload.loosens).toContain(`${after.action_id}.${member}`)
    expect((await approve(acme.call, asked)).status).toBe(403)
    expect((await approve(owner.call, asked)).body.detail).toContain('requested')
    const admin = await showFactor(local, await personWith(local, owner, ['admin']))
    expect((await approve(admin.call, asked)).status).toBe(200)
    expect(await inForce()).toBe(asked.body.version)
  })
})

const LOOSE: Endpoint[] = [{ action_id: 'get_it' }]
const STRICT: Endpoint[] = [{ action_id: 'get_it', approval_required: true }]

test('202: an action that was taken out comes back only as strict as it was', async () => {
  bodyOf(await register(acme.call, [...STRICT, PAY]), 201)
  bodyOf(await register(acme.call, [PAY]), 201)
  bodyOf(await register(acme.call, [PAY, { action_id: 'list_other' }]), 201)
  expect((await register(acme.call, [...LOOSE, PAY])).status).toBe(202)

  bodyOf(await register(acme.call, [...STRICT, PAY]), 201)
})

test('202: also where versions that never came into force ask less of it', async () => {
  bodyOf(await register(acme.call, [...STRICT, PAY]), 201)
  expect((await register(acme.call, [...LOOSE, PAY])).status).toBe(202)
  const gone = bodyOf(await register(acme.call, [PAY]), 201)
  const below = `${String(Number.parseInt(gone.version, 10) - 1)}.9.0`
  bodyOf(await register(acme.call, [...LOOSE, PAY], { version: below }), 201)

  expect((await register(acme.call, [...LOOSE, PAY])).status).toBe(202)
})

test('201: a person with policies:write in person puts it into force at once, and owners hear of it', async () => {
  bodyOf(await register(acme.call, STRICT), 201)
  const { version } = bodyOf(await register(owner.call, LOOSE), 201)

  expect(await inForce()).toBe(version)
  const [mail] = (await mailsTo(local, acme.owner.email)).filter(({ kind }) => kind === 'access_changed')
  expect(mail?.text).toContain('changed a node, so that less is held')
})

test('403: such a person without a fresh factor is told what to do, and nothing waits', async () => {
  bodyOf(await register(acme.call, STRICT), 201)
  const admin = await personWith(local, owner, ['admin'])

  expect(await register(admin.call, LOOSE)).toMatchObject({ status: 403, body: { code: 'enrolment_required' } })
  await enrolTotp(local, admin)
  local.clock.moveTo(local.clock.now() + 600_000)
  expect(await register(admin.call, LOOSE)).toMatchObject({ status: 403, body: { code: 'factor_required' } })
  expect((await acme.call(approvals.list)).body.items).toEqual([])
})

test('202: a developer in a session asks like a key', async () => {
  const developer = await showFactor(local, await personWith(local, owner, ['developer']))
  const node = { id: 'dev.own.node', version: '1.0.0' }
  bodyOf(await register(developer.call, STRICT, node), 201)

  expect((await register(developer.call, LOOSE, { ...node, version: '2.0.0' })).status).toBe(202)
})

test('201: what is as strict, what is new, and a former version wait for nobody', async () => {
  bodyOf(await register(acme.call, STRICT), 201)
  const strict = [...STRICT, { action_id: 'get_other' }, PAY]

  bodyOf(await register(acme.call, strict), 201)
  bodyOf(await register(acme.call, LOOSE, { version: '0.1.0' }), 201)
  bodyOf(await register(acme.call, LOOSE, { id: 'crm.other.node', version: '1.0.0' }), 201)
})

test('202: a later version that calls the address of a stricter action waits, under whatever node it is registered', async () => {
  const address = 'https://a.example/items'
  bodyOf(await register(acme.call, [{ ...PAY, ...http(address) }]), 201)
  const node = { id: 'crm.other.node' }
  bodyOf(await register(acme.call, LOOSE, { ...node, version: '1.0.0' }), 201)
  const asked = await register(acme.call, [...LOOSE, { action_id: 'get_more', ...http(`${address}?all=1`) }], {
    ...node,
    version: '1.1.0',
  })

  expect(asked.status).toBe(202)
  expect((await acme.approval(asked.body.approval_id)).payload.loosens).toEqual(['get_more.address'])
})

test('409: nothing takes effect when another version is in force by then', async () => {
  bodyOf(await register(acme.call, STRICT), 201)
  const asked = await register(acme.call, LOOSE)
  const { version } = bodyOf(await register(acme.call, [...STRICT, PAY]), 201)
  const admin = await showFactor(local, await personWith(local, owner, ['admin']))

  expect(await approve(admin.call, asked)).toMatchObject({ status: 409, body: { code: 'version_conflict' } })
  expect(await inForce()).toBe(version)
})

describe('a node', () => {
  test('403: takes versions of whoever registered it first and of people who write policies, and of no others', async () => {
    const [ada, eve] = [await personWith(local, owner, ['developer']), await personWith(local, owner, ['developer'])]
    const node = { id: 'ada.own.node' }
    bodyOf(await register(ada.call, STRICT, { ...node, version: '1.0.0' }), 201)
    const key = await makeKey({ ...acme, owner: { id: ada.user_id } }, { scopes: ['governance:write'] })

    expect(await register(eve.call, STRICT, { ...node, version: '1.1.0' })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('belongs to somebody else') },
    })
    expect((await register(acme.call, STRICT, { ...node, version: '1.2.0' })).status).toBe(403)
    bodyOf(await register(owner.call, STRICT, { ...node, version: '1.2.0' }), 201)
    const body = manifestOf(STRICT, { ...node, version: '1.3.0' })
    bodyOf(await acme.call(protocol.registerManifest, { key, body }), 201)
    bodyOf(await owner.call(users.delete, { params: { id: ada.user_id } }), 204)
    bodyOf(await register(eve.call, STRICT, { ...node, version: '1.4.0' }), 201)
  })

  test('of the sandbox is changed at once, by any key', async () => {
    const sandbox = await governed(local, STRICT, { mode: 'test' })

    expect((await sandbox.register(LOOSE, { version: '2.0.0' })).status).toBe(201)
  })
})
