import { beforeEach, describe, expect, test } from 'vitest'
import { security } from '../../../functions/security/routes.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { ownerInPerson } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { directory } from '../scim/directory.ts'

const local = useLocalStack()
let acme: Governed
beforeEach(async () => {
  acme = await governed(local)
})

const save = (body: object, key?: string) =>
  acme.call(security.savePolicy, { params: { tenant_id: acme.tenant_id }, body, key })
const forbid = { name: 'no deletions', effect: 'forbid', scope: { action_kinds: ['delete'] } }

describe('POST /api/v1/security/tenants/{tenant_id}/policies', () => {
  test('201: a new policy is in force from the next request on', async () => {
    expect((await acme.execute('delete_contact')).status).toBe(202)
    const { status, headers, body } = await save(forbid)

    expect(status).toBe(201)
    expect(headers.location).toBe(`/api/v1/security/tenants/${acme.tenant_id}/policies/${body.policy_id}`)
    expect(body).toEqual({
      policy_id: expect.stringMatching(/^pol_[0-9A-Z]{26}$/),
      version: 1,
      name: 'no deletions',
      enabled: true,
      mode: 'enforce',
      priority: 100,
      severity: 'medium',
      scope: { node_ids: [], categories: [], action_ids: [], action_kinds: ['delete'], agents: [], listing_tiers: [] },
      effect: 'forbid',
      created_at: expect.any(String),
      updated_at: body.created_at,
      updated_by: { type: 'api_key', id: expect.stringMatching(/^key_/) },
      warnings: [],
    })
    expect((await acme.execute('delete_contact')).status).toBe(403)
  })

  test('200: with id and current version it makes the next one', async () => {
    const { policy_id, created_at } = await acme.policy(forbid)
    const { access_token } = await ownerInPerson(local, acme)
    const reply = await save({ ...forbid, policy_id, version: 1, scope: { action_kinds: ['payment'] } }, access_token)

    expect(reply).toMatchObject({ status: 200, body: { policy_id, version: 2, created_at } })
    expect((await acme.execute('delete_contact')).status).toBe(202)
  })

  test('each change is told, with its evidence', async () => {
    const { policy_id } = await acme.policy(forbid)
    const changes = [{ enabled: false }, { enabled: true }, { enabled: true, priority: 7 }]
    const { access_token } = await ownerInPerson(local, acme)
    const told: object[] = []
    for (const [index, change] of changes.entries()) {
      const body = { ...forbid, policy_id, version: index + 1, ...change }
      const events = await acme.told(() => save(body, access_token))
      expect(events.map(({ type }) => type)).toEqual(['evidence.emitted', 'policy.updated'])
      told.push(events[1]?.data ?? {})
    }

    expect(told).toMatchObject([
      { change: 'disabled', policy_version: 2, previous_version: 1 },
      { change: 'enabled', policy_version: 3, previous_version: 2 },
      { change: 'updated', policy_version: 4, previous_version: 3 },
    ])
  })

  test('409: a version that is not the current one', async () => {
    const { policy_id } = await acme.policy(forbid)
    await save({ ...forbid, policy_id, version: 1, priority: 7 })

    for (const version of [1, 3, undefined]) {
      expect(await save({ ...forbid, policy_id, version, priority: 8 })).toMatchObject({
        status: 409,
        body: {
          detail: 'The resource is at version 2. Read it again, then repeat your change.',
          code: 'version_conflict',
        },
      })
    }
  })

  test('409: a name or a rule that is there already', async () => {
    const { policy_id } = await acme.policy(forbid)

    expect(await save({ ...forbid, effect: 'require_undo' })).toMatchObject({
      status: 409,
      body: { detail: `Policy ${policy_id} has the same name. Choose another one.`, code: 'already_exists' },
    })
    expect(await save({ ...forbid, name: 'another' })).toMatchObject({
      status: 409,
      body: { detail: `Policy ${policy_id} already has the same rule. Change that one instead.` },
    })
  })

  test('many at once leave a set that can be read, with every policy that was promised', async () => {
    const bodies = Array.from({ length: 12 }, (_, n) => ({ ...forbid, name: `p${n}`, priority: n, mode: 'shadow' }))
    const replies = await Promise.all(bodies.map((body) => save(body)))
    const promised = replies.flatMap(({ status, body }) => (status === 201 ? [body.policy_id] : []))
    const { status, body } = await acme.execute('delete_contact')

    expect(replies.filter(({ status: one }) => one !== 201 && one !== 409)).toEqual([])
    expect(promised.length).toBeGreaterThanOrEqual(1)
    expect(status).toBe(202)
    const ids = body.receipt.policy_evaluations.map(({ policy_id }: { policy_id: string }) => policy_id)
    expect(new Set(ids.slice(3))).toEqual(new Set(promised))
  })

  test.each([
    [
      'an unknown field',
      { when: { field: 'action.knid', op: 'eq', value: 'read' } },
      ['when', 'field'],
      'did you mean',
    ],
    ['an op that does not fit', { when: { field: 'action.risk', op: 'starts_with', value: 'x' } }, ['when', 'op'], ''],
    ['a tier that does not go with the effect', { tier: 'SOFT' }, ['tier'], 'goes with'],
    ['relax_to without a condition', { effect: 'relax_to', tier: 'SOFT', scope: {} }, ['when'], 'is required'],
    ['a misspelt member', { prioritiy: 1 }, ['prioritiy'], ''],
    [
      'a condition that can never be true',
      {
        when: {
          all: [
            { field: 'action.kind', op: 'eq', value: 'read' },
            { field: 'action.kind', op: 'eq', value: 'delete' },
          ],
        },
      },
      ['when'],
      '',
    ],
  ])('422: refuses %s', async (_, change, loc, msg) => {
    const reply = await save({ ...forbid, ...change })

    expect(reply).toMatchObject({ status: 422, body: { detail: [{ msg: expect.stringContaining(msg) }] } })
    expect(reply.body.detail[0].loc.slice(0, loc.length + 1)).toEqual(['body', ...loc])
  })

  test('422: approvers that there are not', async () => {
    await makeKey(acme, { id: 'key_boss' })
    const requires = (groups: string[], escalate_to?: string[]) =>
      save({
        name: 'ask',
        effect: 'require_approval',
        approval: { stages: [{ groups }], ...(escalate_to && { escalate_after_s: 60, escalate_to }) },
      })
    const loc = ['body', 'approval', 'stages', 0, 'groups', 1]

    for (const group of ['role:aprover', 'user:usr_01JD3Q8Z5N0A2C4E6G8J0M2P4R', 'key:key_other', 'group:staff']) {
      expect(await requires(['any', group])).toMatchObject({
        status: 422,
        body: { detail: [{ loc, msg: expect.stringContaining('is not an approver group of this tenant') }] },
      })
    }
    expect(await requires(['any'], ['role:boss'])).toMatchObject({ status: 422 })
    expect(await requires(['any', 'role:approver', `user:${acme.approver.id}`, 'key:key_boss'])).toMatchObject({
      status: 201,
    })
  })

  test('201: warns of what may fire more often than meant', async () => {
    const when = { field: 'signals.amount', op: 'gt', value: 100 }
    const { warnings } = await acme.policy({ name: 'amounts', effect: 'forbid', when })

    expect(warnings).toEqual([
      expect.stringContaining('reads signals.amount'),
      expect.stringContaining('amounts of any currency'),
    ])
  })

  test('201: warns of an escalation after the expiry that the tenant sets', async () => {
    await acme.change({ approval_ttl_s: 3_600 })
    const approval = { stages: [{ groups: ['any'] }], escalate_after_s: 3_600, escalate_to: ['role:owner'] }
    const { warnings } = await acme.policy({ name: 'late', effect: 'require_approval', approval })

    expect(warnings).toEqual([expect.stringContaining('by the setting approval_ttl_s')])
  })

  test('201: warns of more approvals than there are people who can give one', async () => {
    const { user, group } = await directory(local, 'live', acme)
    const { id } = await user({ userName: 'anna@example.com' })
    const empty = await group({ displayName: 'Staff', members: [{ value: id }] }) // who may not decide anything
    const warned = async (name: string, stages: object[]) =>
      (await acme.policy({ name, effect: 'require_approval', approval: { stages } })).warnings

    expect(await warned('two', [{ groups: ['any'], min_approvals: 2 }])).toEqual([])
    expect(await warned('staged', [{ groups: ['any'], min_approvals: 3 }, { groups: [`group:${empty.id}`] }])).toEqual([
      'Stage 1 asks for 3 approvals, but only 2 can give one.',
      'Stage 2 asks for 1 approvals, but only 0 can give one.',
    ])
    const deciding = await group({ displayName: 'Deciding', members: [{ value: id }, { value: acme.approver.id }] })
    expect(await warned('directory', [{ groups: [`group:${deciding.id}`], min_approvals: 2 }])).toEqual([
      'Stage 1 asks for 2 approvals, but only 1 can give one.',
    ])
    const people = [`user:${acme.approver.id}`, 'role:owner']
    expect(await warned('union', [{ groups: people, min_approvals: 2 }])).toEqual([])
    expect(await warned('each', [{ groups: people, min_approvals: 2, mode: 'each' }])).toEqual([
      'Stage 1 asks for 2 approvals, but only 1 can give one.',
    ])
  })

  test('403: a key without scope admin could run anything if it could weaken policy', async () => {
    const key = await makeKey(acme, { scopes: ['governance:read', 'governance:write', 'agent:execute'] })

    expect(await save(forbid, key)).toMatchObject({
      status: 403,
      body: { detail: 'You need the permission policies:write (scope admin).' },
    })
  })

  test('404: another tenant, another tenant’s policy and a missing one', async () => {
    const other = await governed(local)
    const { policy_id } = await other.policy(forbid)

    expect(
      await acme.call(security.savePolicy, { params: { tenant_id: other.tenant_id }, body: forbid }),
    ).toMatchObject({
      status: 404,
    })
    expect(await save({ ...forbid, policy_id, version: 1 })).toMatchObject({
      status: 404,
      body: { detail: 'policy not found' },
    })
  })

  test('201: a repeat with the same Idempotency-Key is the same policy', async () => {
    const input = { params: { tenant_id: acme.tenant_id }, body: forbid, headers: { 'idempotency-key': 'p-1' } }
    const first = await acme.call(security.savePolicy, input)

    expect(await acme.call(security.savePolicy, input)).toMatchObject({ status: 201, body: first.body })
  })
})
