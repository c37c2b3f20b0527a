import { beforeEach, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { bodyOf, executeFor, type Governed, governed, manifestOf, NODE_ID, requestOf } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeEach(async () => {
  acme = await governed(local, [
    { action_id: 'get_contact' },
    { action_id: 'update_contact' },
    { action_id: 'update_deal', undo_action_id: 'restore_deal' },
    { action_id: 'restore_deal' },
    { action_id: 'delete_contact' },
    { action_id: 'cancel_meeting' },
  ])
})

const tierOf = async (action_id: string, body: object = {}) => {
  const reply = await acme.execute(action_id, body)
  return `${reply.status} ${reply.body.receipt.routing_decision.tier}`
}
/** What the receipt says of a policy. */
const said = async (policy_id: string, action_id: string, body: object = {}) => {
  const { receipt } = (await acme.execute(action_id, body)).body
  return receipt.policy_evaluations.find((each: { policy_id: string }) => each.policy_id === policy_id)
}
const amount = (value: unknown) => ({ payload: { contact: 'con_1', amount: value } })
const over100 = { field: 'signals.amount', op: 'gt', value: 100 }

describe('a policy in force', () => {
  test('forbid rejects, whatever the tier', async () => {
    await acme.policy({
      name: 'p',
      effect: 'forbid',
      scope: { node_ids: ['crm.*.*'], action_kinds: ['read', 'delete'] },
    })

    expect(await tierOf('get_contact')).toBe('403 AUTO')
    expect(await tierOf('delete_contact')).toBe('403 HARD')
    expect(await tierOf('update_contact')).toBe('200 SOFT')
  })

  test('require_approval holds, with its stages and its expiry', async () => {
    const stages = [{ groups: ['role:approver', 'any'], min_approvals: 2 }]
    const { policy_id } = await acme.policy({
      name: 'p',
      effect: 'require_approval',
      approval: { stages, expires_in_s: 60 },
    })
    const { status, body } = await acme.execute('get_contact')

    expect(status).toBe(202)
    expect(body.approval.stages).toEqual(stages)
    const approval = await acme.approval(body.approval.id)
    expect(Date.parse(approval.expires_at) - Date.parse(approval.requested_at)).toBeLessThanOrEqual(60_000)
    expect(approval.policy_ids).toEqual([policy_id])
  })

  test('min_tier raises and never lowers', async () => {
    await acme.policy({ name: 'p', effect: 'min_tier', tier: 'SOFT' })

    expect(await tierOf('get_contact')).toBe('200 SOFT')
    expect(await tierOf('delete_contact')).toBe('202 HARD')
  })

  test('require_undo holds what cannot be undone', async () => {
    await acme.policy({ name: 'p', effect: 'require_undo' })

    expect(await tierOf('update_contact')).toBe('202 HARD')
    expect(await tierOf('update_deal')).toBe('200 SOFT')
    expect(await tierOf('get_contact')).toBe('200 AUTO')
  })

  test('relax_to lowers what has no class floor, and nothing below one', async () => {
    const when = { field: 'node.id', op: 'glob', value: 'crm.**' }
    await acme.policy({ name: 'p', effect: 'relax_to', tier: 'AUTO', when })

    expect(await tierOf('update_contact')).toBe('200 AUTO')
    expect(await tierOf('cancel_meeting')).toBe('200 AUTO')
    expect(await tierOf('delete_contact')).toBe('202 HARD')
  })

  test('forbid beats everything', async () => {
    const when = { field: 'action.kind', op: 'eq', value: 'update' }
    await acme.policy({ name: 'a', effect: 'relax_to', tier: 'AUTO', when, priority: 900 })
    await acme.policy({ name: 'b', effect: 'forbid', when, priority: 1 })

    expect(await tierOf('update_contact')).toBe('403 AUTO')
  })

  test('in shadow is explained and changes nothing', async () => {
    const { policy_id } = await acme.policy({ name: 'p', effect: 'forbid', mode: 'shadow' })

    expect(await tierOf('get_contact')).toBe('200 AUTO')
    expect(await said(policy_id, 'get_contact')).toEqual({ policy_id, result: 'shadow:forbid', basis: 'true', why: [] })
  })

  test('disabled is gone', async () => {
    await acme.policy({ name: 'p', effect: 'forbid', enabled: false })

    expect(await tierOf('get_contact')).toBe('200 AUTO')
  })

  test('counts in its own mode only', async () => {
    await acme.policy({ name: 'p', effect: 'forbid' })
    const { call } = acme.as('sandbox')
    await call(protocol.registerManifest, { body: manifestOf([{ action_id: 'get_contact' }]) })
    const body = { node_id: NODE_ID, action_id: 'get_contact', payload: {} }

    expect(await call(protocol.execute, { body })).toMatchObject({ status: 200 })
    expect(await acme.call(protocol.execute, { body })).toMatchObject({ status: 403 })
  })
})

describe('a condition', () => {
  test('tightens where a fact is missing, and says so without telling values', async () => {
    const { policy_id } = await acme.policy({ name: 'p', effect: 'min_tier', tier: 'HARD', when: over100 })
    const why = (outcome: string) => [{ field: 'signals.amount', op: 'gt', outcome }]

    expect(await said(policy_id, 'update_contact', amount(50))).toEqual({ policy_id, result: 'pass' })
    expect(await said(policy_id, 'update_contact', amount(150))).toEqual({
      policy_id,
      result: 'min_tier:HARD',
      basis: 'true',
      why: why('true'),
    })
    expect(await said(policy_id, 'update_contact')).toEqual({
      policy_id,
      result: 'min_tier:HARD',
      basis: 'unknown',
      why: why('unknown'),
    })
  })

  test('of what loosens does nothing where a fact is missing', async () => {
    const { policy_id } = await acme.policy({ name: 'p', effect: 'relax_to', tier: 'AUTO', when: { not: over100 } })

    expect(await tierOf('update_contact', amount(50))).toBe('200 AUTO')
    expect(await tierOf('update_contact')).toBe('200 SOFT')
    expect(await said(policy_id, 'update_contact')).toMatchObject({ result: 'indeterminate', basis: 'unknown' })
  })

  test('reads payload, context, contract and agent', async () => {
    const eq = (field: string, value: unknown) => ({ field, op: 'eq', value })
    await acme.policy({ name: 'payload', effect: 'forbid', when: eq('payload./contact', 'con_9') })
    await acme.policy({
      name: 'context',
      effect: 'forbid',
      when: { all: [{ field: 'payload./env', op: 'exists' }, eq('context.env', 'prod')] },
    })
    await acme.policy({
      name: 'contract',
      effect: 'forbid',
      when: { all: [{ field: 'payload./contract', op: 'exists' }, eq('request.decision_contract_id', 7)] },
    })

    expect(await tierOf('get_contact', { payload: { contact: 'con_9' } })).toBe('403 AUTO')
    const payload = { contact: 'con_1', env: 1 }
    expect(await tierOf('get_contact', { payload, policy_context: { context: { env: 'prod' } } })).toBe('403 AUTO')
    expect(await tierOf('get_contact', { payload, policy_context: { context: { env: 'test' } } })).toBe('200 AUTO')
    const contracted = { payload: { contact: 'con_1', contract: 1 } }
    expect(await tierOf('get_contact', { ...contracted, decision_contract_id: 7 })).toBe('403 AUTO')
    expect(await tierOf('get_contact', { ...contracted, decision_contract_id: 8 })).toBe('200 AUTO')
  })

  test('switches off one key by its id', async () => {
    const agents = [{ id: 'key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM' }, { agent_id: 'agt_support' }]
    const [bare = '', bound = ''] = await Promise.all(agents.map((over) => makeKey(acme, over)))
    const status = async (key?: string) => (await acme.execute('get_contact', {}, { key })).status
    await acme.policy({ name: 'bare', effect: 'forbid', scope: { agents: ['key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'] } })
    expect([await status(bound), await status(bare), await status()]).toEqual([200, 403, 200])
  })
})

test('policies are explained after the built-in rules, by priority and then by id', async () => {
  const policies = [
    { name: 'low', priority: 1, effect: 'forbid' },
    { name: 'high', priority: 9, effect: 'forbid' },
    { name: 'also low', priority: 1, effect: 'require_undo' },
  ]
  const ids: string[] = []
  for (const policy of policies) ids.push((await acme.policy({ ...policy, mode: 'shadow' })).policy_id)
  const { receipt } = (await acme.execute('get_contact')).body

  expect(receipt.policy_evaluations.map(({ policy_id }: { policy_id: string }) => policy_id)).toEqual([
    'class',
    'manifest',
    'request',
    ids[1],
    ids[0],
    ids[2],
  ])
})

describe('too many open approvals of one key', () => {
  beforeEach(() => acme.change({ max_open_approvals: 3 }))

  test('reject what would be held, and nothing else', async () => {
    for (let n = 0; n < 3; n += 1) await acme.held()

    expect(await acme.execute('delete_contact')).toMatchObject({
      status: 403,
      body: { code: 'policy_rejected', detail: expect.stringContaining('Rejected by policy approval_flood') },
    })
    expect(await said('approval_flood', 'delete_contact')).toMatchObject({ result: 'forbid' })
    expect(await tierOf('update_contact')).toBe('200 SOFT')
    const key = await makeKey(acme)
    expect(await acme.execute('delete_contact', {}, { key })).toMatchObject({ status: 202 })
  })

  test('stop no person', async () => {
    const request = requestOf(acme, acme.owner.id)
    for (let n = 0; n < 4; n += 1) {
      expect((await executeFor(request, 'delete_contact')).execution.status).toBe('pending_approval')
    }
  })

  test('are not those that were only evaluated', async () => {
    const body = { node_id: NODE_ID, action_id: 'delete_contact', payload: {} }
    for (let n = 0; n < 4; n += 1) await acme.call(protocol.evaluate, { body })

    expect(await tierOf('delete_contact')).toBe('202 HARD')
  })

  test('are not those that were decided', async () => {
    for (let n = 0; n < 10; n += 1) bodyOf(await acme.approve((await acme.held()).approval.id), 200)

    expect(await tierOf('delete_contact')).toBe('202 HARD')
  })

  test('are counted at the limit as they are: each decision makes room for one', async () => {
    const [first] = [await acme.held(), await acme.held(), await acme.held()]
    expect(await tierOf('delete_contact')).toMatch('403')
    bodyOf(await acme.reject(first.approval.id, { reason: 'no' }), 200)

    expect(await tierOf('delete_contact')).toBe('202 HARD')
    expect(await tierOf('delete_contact')).toMatch('403')
  })
})
