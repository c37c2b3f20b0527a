import { beforeEach, describe, expect, test } from 'vitest'
import { kms } from '../../../functions/kms/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import type { Space } from '../../../shared/base/context.ts'
import type { ClientPlugin } from '../../../shared/base/aws/clients.ts'
import { eraseDataKey, openBytes, sealBytes } from '../../../shared/ledger/sealing/seal.ts'
import { keysTable, wrappedKeys, wrappedKeysPartition } from '../../../shared/ledger/sealing/wrapped-key.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { bodyOf } from '../../support/any-route.ts'
import { downgrade } from '../../support/downgrade.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { mailsIn } from '../../support/mails.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const AT = { pk: 'T#x', sk: 'Y' }

let acme: TestTenant
let key: string
/** What happens between the answer of KMS and the write that keeps it. */
let afterReEncrypt: (() => Promise<void>) | undefined

type Next = (args: { input: object }) => Promise<unknown>
const interfering: ClientPlugin = (client, service) => {
  if (service !== 'kms') return
  const middleware = (next: Next) => async (args: { input: object }) => {
    const answer = await next(args)
    if ('DestinationKeyId' in args.input) await afterReEncrypt?.()
    return answer
  }
  const add = (stack: { add: (one: typeof middleware, options: object) => void }) =>
    stack.add(middleware, { step: 'initialize', name: 'interfering' })
  client.middlewareStack.use({ applyToStack: add })
}

const local = useLocalStack({ plugins: [interfering] })
beforeEach(async () => {
  acme = await local.tenant()
  key = local.kms.customers.add()
  afterReEncrypt = undefined
})

const space = (mode: Space['mode'] = 'live'): Space => ({ tenant_id: acme.tenant_id, mode })
const params = () => ({ tenant_id: acme.tenant_id })
const configure = (key_arn: string | null) => acme.call(kms.configure, { params: params(), body: { key_arn } })
const shown = async () => (await acme.call(kms.get, { params: params() })).body

const seal = (text: string, mode?: Space['mode'], keyName?: string) =>
  sealBytes(space(mode), AT, 'a', Buffer.from(text), { keyName })
const open = async (sealed: Uint8Array, mode?: Space['mode']) =>
  (await openBytes(space(mode), AT, 'a', sealed)).toString()

const wrappers = async () => {
  const all = await Promise.all(
    (['live', 'test'] as const).map((mode) =>
      keysTable().query(wrappedKeys, { pk: wrappedKeysPartition(space(mode)) }),
    ),
  )
  return all.flat().map(({ cmk_arn }) => cmk_arn)
}

const minutes = async (count: number) => {
  for (let minute = 0; minute < count; minute += 1) {
    local.clock.moveTo(local.clock.now() + 60_000)
    await local.sweep()
  }
}

describe('GET /api/v1/tenants/{tenant_id}/kms', () => {
  test('200: the service key, and what the policy of an own one must say', async () => {
    expect(await shown()).toEqual({
      status: 'service_managed',
      key_arn: null,
      last_checked_at: null,
      rewrap: { status: 'none', done: 0, total: 0 },
      required_statement: [
        expect.objectContaining({ Sid: 'CountersignDataKeys', Effect: 'Allow', Resource: '*' }),
        expect.objectContaining({ Sid: 'CountersignLook', Action: ['kms:DescribeKey'] }),
      ],
    })
  })
})

describe('POST /api/v1/tenants/{tenant_id}/kms', () => {
  test('200: new data keys are wrapped under the own key, those that exist follow, and what they sealed stays', async () => {
    const [live, sandbox, subject] = [await seal('live'), await seal('sandbox', 'test'), await seal('x', 'live', 'ada')]
    expect(new Set(await wrappers())).toEqual(new Set([local.kms.sealKeyId]))

    expect(await configure(key)).toMatchObject({
      status: 200,
      body: { status: 'customer_managed', key_arn: key, rewrap: { status: 'running', done: 0, total: 3 } },
    })
    const later = await seal('later', 'live', 'grace')
    await minutes(1)

    expect(await wrappers()).toEqual([key, key, key, key])
    expect(await shown()).toMatchObject({ rewrap: { status: 'done', done: 3, total: 3 } })
    coldStart()
    expect(await Promise.all([open(live), open(sandbox, 'test'), open(subject), open(later)])).toEqual([
      'live',
      'sandbox',
      'x',
      'later',
    ])
  })

  test('200: null goes back, and the same key again changes nothing', async () => {
    await seal('x')
    await configure(key)
    const repeated = await configure(key)
    await minutes(1)
    expect(repeated).toMatchObject({ status: 200, body: { key_arn: key } })

    expect((await configure(null)).body).toMatchObject({ status: 'service_managed', rewrap: { total: 1 } })
    await minutes(1)
    expect(await wrappers()).toEqual([local.kms.sealKeyId])
  })

  test('422: a key that KMS refuses, by the name of the error, and nothing changes', async () => {
    local.kms.customers.setState(key, 'Disabled')
    const refused = await configure(key)
    local.kms.customers.setState(key, 'Denied')
    const denied = await configure(key)
    const names = [refused, denied, await configure(local.kms.signKeyId)].map(({ body }) => body.detail[0].msg)

    expect(refused.status).toBe(422)
    expect(names).toEqual([
      expect.stringContaining('DisabledException'),
      expect.stringContaining('AccessDeniedException'),
      expect.stringContaining('InvalidKeyUsageException'),
    ])
    expect(await shown()).toMatchObject({ status: 'service_managed', key_arn: null })
  })

  test.each([
    ['an alias', 'arn:aws:kms:us-east-1:111111111111:alias/mine', 'alias'],
    ['another region', 'arn:aws:kms:eu-west-1:111111111111:key/1234abcd-12ab-34cd-56ef-1234567890ab', 'us-east-1'],
    ['an unknown key', 'arn:aws:kms:us-east-1:111111111111:key/1234abcd-12ab-34cd-56ef-1234567890ab', 'NotFoundExc'],
  ])('422: %s is refused as the key', async (_, arn, why) => {
    expect(await configure(arn)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'key_arn'], msg: expect.stringContaining(why) }] },
    })
  })

  test('403: other plans do not have it', async () => {
    acme = await local.tenant({ plan: 'business' })

    expect(await configure(key)).toMatchObject({ status: 403, body: { code: 'plan_feature' } })
  })

  test('after a downgrade the key stays and can be tried again or given up, and no other is taken', async () => {
    await configure(key)
    await downgrade(acme.tenant_id)

    expect(await configure(local.kms.customers.add())).toMatchObject({ status: 403, body: { code: 'plan_feature' } })
    expect(await configure(key)).toMatchObject({ status: 200, body: { key_arn: key } })
    expect((await configure(null)).status).toBe(200)
    expect(await configure(key)).toMatchObject({ status: 403, body: { code: 'plan_feature' } })
  })

  test('403: only owners', async () => {
    const reply = await acme.as('approver').call(kms.configure, { params: params(), body: { key_arn: null } })

    expect(reply.status).toBe(403)
  })
})

describe('a key that does not answer', () => {
  const create = (tenant = acme) => tenant.call(webhooks.create, { body: bodyOf(webhooks.create) ?? {} })

  beforeEach(async () => {
    await create()
    await configure(key)
    await minutes(1)
    coldStart()
    local.kms.customers.setState(key, 'Disabled')
  })

  test('503: only its own tenant is refused, by the name of the key; nothing is stored in plain text', async () => {
    const other = await local.tenant()

    expect(await create()).toMatchObject({
      status: 503,
      body: {
        detail: `The tenant's encryption key ${key} does not answer. Check its policy, then try again.`,
        code: 'unavailable',
      },
    })
    expect((await create(other)).status).toBe(201)
    expect((await acme.call(webhooks.list)).body.total).toBe(1)
    expect((await acme.call(evidence.verify)).body).toMatchObject({ chain_valid: true })
  })

  test('the owners get one mail, and once it answers again everything is as before', async () => {
    const told = () =>
      mailsIn(local.directory).filter(({ kind, to }) => kind === 'kms_unavailable' && to.includes(acme.owner.email))
    await create()
    await create()
    await minutes(1)
    expect(await shown()).toMatchObject({ status: 'unavailable', key_arn: key })
    await create()
    await minutes(12)
    expect(told()).toHaveLength(1)

    local.kms.customers.setState(key, 'Enabled')
    await minutes(6)
    expect(await shown()).toMatchObject({ status: 'customer_managed' })
    expect((await create()).status).toBe(201)
    expect(told()).toHaveLength(1)
  })

  test('a suspicion that is not true leaves no trace', async () => {
    await create()
    local.kms.customers.setState(key, 'Enabled')
    await minutes(1)

    expect(await shown()).toMatchObject({ status: 'customer_managed' })
  })

  test('leaving it waits until it can be opened once more', async () => {
    expect((await configure(null)).status).toBe(200)
    await minutes(1)
    expect(await shown()).toMatchObject({ status: 'service_managed', rewrap: { status: 'stalled', done: 0, total: 1 } })

    local.kms.customers.setState(key, 'Enabled')
    await minutes(6)
    expect(await shown()).toMatchObject({ rewrap: { status: 'done', done: 1, total: 1 } })
    expect(await wrappers()).toEqual([local.kms.sealKeyId])
  })
})

test('a data key that is erased while it moves stays erased', async () => {
  await seal('x', 'live', 'ada')
  await configure(key)
  afterReEncrypt = () => eraseDataKey(space(), 'ada')
  await minutes(1)

  const item = await keysTable().get(wrappedKeys, { space: space(), name: 'ada' })
  expect(item).toMatchObject({ erased_at: expect.any(String) })
  expect(item?.wrapped).toBeUndefined()
})
