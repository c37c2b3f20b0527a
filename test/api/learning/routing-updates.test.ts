import { beforeEach, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { learning } from '../../../functions/learning/routes.ts'
import { actionFacts } from '../../../shared/learn/routing/action-facts.ts'
import { auditEntries, resourcePartition } from '../../../shared/ledger/audit/entry.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import type { Row } from '../../../shared/assure/populations/population.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { learnPopulations } from '../../../shared/learn/populations.ts'
import { learnFacts } from '../../../shared/learn/compliance-facts.ts'
import { routingRules } from '../../../shared/govern/governance/stored-rules.ts'
import { keepUpdates } from '../../../shared/learn/snapshots/keep-updates.ts'
import { learningPartition, routingUpdates } from '../../../shared/learn/routing/update.ts'
import { bodyOf, type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { type SignedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
const DAY_MS = 86_400_000

let acme: Governed
let proposer: SignedIn
let approver: SignedIn
beforeEach(async () => {
  acme = await governed(local, [
    { action_id: 'get_contact' },
    { action_id: 'update_contact', undo_action_id: 'restore_contact' },
    { action_id: 'restore_contact' },
    { action_id: 'remove_note', kind: 'destructive', undo_action_id: 'restore_contact' },
    { action_id: 'delete_contact' },
  ])
  proposer = await signIn(local, acme.owner)
  approver = await signIn(local, acme.approver)
})

type Caller = Pick<SignedIn, 'call'>

const RATIONALE = 'Nobody has rejected one for a month.'
const propose = (body: object, by: Caller = proposer) =>
  by.call(learning.proposeRoutingUpdate, {
    body: {
      type: 'tier_change',
      node_id: NODE_ID,
      action_id: 'update_contact',
      to: 'AUTO',
      rationale: RATIONALE,
      ...body,
    },
  })
const approve = (id: string, by: Caller = approver) =>
  by.call(approvals.approve, { params: { id }, body: { reason: 'I looked at ten of them.' } })
const apply = (id: string, by: Caller = approver) => by.call(learning.applyRoutingUpdate, { params: { id }, body: {} })
const only = async () => bodyOf(await acme.call(learning.listRoutingUpdates), 200).items[0]
const tier = async (action_id = 'update_contact') =>
  (await actionFacts(acme.ctx, { node_id: NODE_ID, action_id }))?.current_tier
const rule = () =>
  acme.ctx.table.get(routingRules, { ...acme.ctx.space, node_id: NODE_ID, action_id: 'update_contact' })

async function approved(body: object = {}): Promise<string> {
  const { id, approval_id } = bodyOf(await propose(body), 201)
  bodyOf(await approve(approval_id), 200)
  return id
}

async function applied(body: object = {}): Promise<string> {
  const id = await approved(body)
  await local.drain()
  bodyOf(await apply(id), 200)
  await local.drain()
  return id
}

describe('POST /api/v1/learning/routing-updates', () => {
  test('201: waits for people, with what holds now and what it was learnt on', async () => {
    const body = bodyOf(await propose({}), 201)

    expect(body).toMatchObject({
      status: 'proposed',
      from: 'SOFT',
      to: 'AUTO',
      loosens: true,
      endpoint_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      approval_id: expect.stringMatching(/^apr_/) as string,
      source: 'human',
    })
    expect(await only()).toEqual(body)
    expect(await tier()).toBe('SOFT')
  })

  test.each([
    ['a tier below the floor of the action', { action_id: 'delete_contact', to: 'SOFT' }, 'to'],
    ['what holds now', { to: 'SOFT' }, 'to'],
    ['no tier', { to: 'LOW' }, 'to'],
    ['a threshold above 1', { type: 'threshold_change', to: 2 }, 'to'],
    [
      'an action of the service itself',
      { node_id: 'platform.routing.rules', action_id: 'apply_update', to: 'SOFT' },
      'to',
    ],
    ['a command', { node_id: 'agent.command.runner', action_id: 'run', to: 'SOFT' }, 'to'],
  ])('422: %s', async (_, body, member) => {
    const reply = await propose(body)

    expect(reply.status).toBe(422)
    expect(reply.body.detail[0].loc).toEqual(['body', member])
  })

  test('404: an unknown action', async () => {
    expect((await propose({ action_id: 'rename_contact' })).status).toBe(404)
  })

  test('409: one of the same target waits already; another kind of change does not mind', async () => {
    bodyOf(await propose({}), 201)

    expect((await propose({ to: 'HARD' })).status).toBe(409)
    bodyOf(await propose({ type: 'threshold_change', to: 0.5 }), 201)
  })

  test('403: a policy of the tenant forbids it, and nothing waits', async () => {
    await acme.policy({ name: 'No learning', effect: 'forbid', scope: { node_ids: ['platform.routing.rules'] } })

    expect((await propose({})).status).toBe(403)
    expect(await only()).toBeUndefined()
  })

  test('a repeat with the same Idempotency-Key answers the same update', async () => {
    const headers = { 'Idempotency-Key': 'once' }
    const body = {
      type: 'tier_change',
      node_id: NODE_ID,
      action_id: 'update_contact',
      to: 'AUTO',
      rationale: RATIONALE,
    }
    const first = await proposer.call(learning.proposeRoutingUpdate, { body, headers })
    const again = await proposer.call(learning.proposeRoutingUpdate, { body, headers })

    expect(again.status).toBe(201)
    expect(again.body).toEqual(first.body)
  })
})

describe('the approval of an update', () => {
  test('approves it, and changes nothing yet', async () => {
    await approved()

    expect(await only()).toMatchObject({ status: 'approved', approved_by: { id: acme.approver.id } })
    expect(await tier()).toBe('SOFT')
  })

  test('is not given by the proposer', async () => {
    const { approval_id } = bodyOf(await propose({}), 201)

    expect((await approve(approval_id, proposer)).status).toBe(403)
  })

  test('is not given by the proposer where people may approve their own requests', async () => {
    await acme.change({ allow_self_approval: true })
    const { approval_id } = bodyOf(await propose({}), 201)

    expect((await approve(approval_id, proposer)).status).toBe(403)
    expect(await only()).toMatchObject({ status: 'proposed' })
  })

  test('that is refused ends it, and its target is free', async () => {
    const { approval_id } = bodyOf(await propose({}), 201)
    bodyOf(await approver.call(approvals.reject, { params: { id: approval_id }, body: { reason: 'Not yet.' } }), 200)

    expect(await only()).toMatchObject({ status: 'rejected' })
    bodyOf(await propose({}), 201)
  })

  test('that nobody gives in time lets it expire', async () => {
    bodyOf(await propose({}), 201)
    await local.advance(2 * DAY_MS)
    await local.sweep()

    expect(await only()).toMatchObject({ status: 'expired' })
  })
})

describe('POST /api/v1/learning/routing-updates/{id}/apply', () => {
  test('200: decisions start at its tier, and it is told', async () => {
    const id = await approved()
    await local.drain()
    const told = await acme.told(async () => bodyOf(await apply(id), 200))
    await local.drain()

    expect(await tier()).toBe('AUTO')
    expect(told.find(({ type }) => type === 'policy.updated')?.data).toMatchObject({
      change: 'routing',
      node_id: NODE_ID,
      action_id: 'update_contact',
      update_id: id,
    })
    expect(await only()).toMatchObject({ status: 'applied', applied_by: { id: acme.approver.id } })
  })

  test('403: the proposer', async () => {
    const id = await approved()

    expect((await apply(id, proposer)).status).toBe(403)
    expect(await tier()).toBe('SOFT')
  })

  test('409: it is not approved, or applied already', async () => {
    const { id } = bodyOf(await propose({}), 201)
    expect((await apply(id)).status).toBe(409)
  })

  test('409: two weeks after its approval', async () => {
    const id = await approved()
    await local.advance(14 * DAY_MS)
    approver = await signIn(local, acme.approver)

    expect((await apply(id)).status).toBe(409)
  })

  test('409: the action has another manifest by now', async () => {
    const id = await approved()
    await acme.register([{ action_id: 'update_contact', description: 'Changes a contact for good.' }], {
      version: '1.1.0',
    })

    expect((await apply(id)).status).toBe(409)
  })

  test('404: a missing one', async () => {
    expect((await apply('rtu_01JD3Q8Z5NB4E6G8J0M2P4R6T8')).status).toBe(404)
  })

  test.each([
    ['another tier', { to: 'AUTO', from: 'HARD' }],
    ['another action', { action_id: 'remove_note' }],
  ])('409: somebody gave the row %s than was approved', async (_, change) => {
    const id = await approved()
    const was = await acme.ctx.table.get(routingUpdates, { ...acme.ctx.space, id })
    if (was) await acme.ctx.table.commit([routingUpdates.replace({ ...was, ...change }, was)])

    expect((await apply(id)).status).toBe(409)
    expect(await rule()).toBeUndefined()
  })

  test('409: somebody wrote that an update is approved', async () => {
    const { id } = bodyOf(await propose({}), 201)
    const was = await acme.ctx.table.get(routingUpdates, { ...acme.ctx.space, id })
    if (was) await acme.ctx.table.commit([routingUpdates.replace({ ...was, status: 'approved' }, was)])

    expect((await apply(id)).status).toBe(409)
    expect(await rule()).toBeUndefined()
  })

  test('an update of the same target supersedes it, and one that swaps its values reverts it', async () => {
    const first = await applied({ to: 'HARD' })
    const second = await applied({ to: 'AUTO' })
    const third = await applied({ to: 'HARD' })
    const statuses = bodyOf(await acme.call(learning.listRoutingUpdates), 200).items.map(
      ({ id, status, superseded_by }: Record<string, unknown>) => ({ id, status, superseded_by }),
    )

    expect(statuses).toEqual([
      { id: third, status: 'applied' },
      { id: second, status: 'reverted', superseded_by: third },
      { id: first, status: 'superseded', superseded_by: second },
    ])
    expect(await rule()).toMatchObject({ version: 3, base_tier: 'HARD' })
  })
})

describe('a rule', () => {
  test('that loosens ends with another manifest of its action', async () => {
    await applied()
    expect(await tier()).toBe('AUTO')

    await acme.register([{ action_id: 'update_contact', description: 'Changes a contact for good.' }], {
      version: '1.1.0',
    })
    expect(await tier()).not.toBe('AUTO')
  })

  test('that somebody wrote into the table has no effect', async () => {
    await applied({ to: 'HARD' })
    const was = await rule()
    if (was) await acme.ctx.table.commit([routingRules.replace({ ...was, base_tier: 'AUTO' }, was)])

    expect(await tier()).toBe('SOFT')
  })
})

describe('the hourly look', () => {
  const look = () => keepUpdates(acme.ctx, async () => [])
  /** From the table, since keys expire before rules do. The newest first. */
  const statuses = async () => {
    const range = { pk: learningPartition(acme.ctx.space), prefix: 'RTU#', descending: true }
    return (await acme.ctx.table.query(routingUpdates, range)).map(({ status }) => status)
  }

  test('suspends what loosens as soon as the record of its action is bad', async () => {
    await applied()
    for (let n = 0; n < 20; n += 1) await acme.execute('update_contact')
    await local.drain()
    await look()
    expect(await statuses()).toEqual(['applied'])

    const forbids = {
      name: 'No changes now',
      effect: 'forbid',
      severity: 'high',
      scope: { action_ids: ['update_contact'] },
    }
    const { policy_id } = await acme.policy(forbids)
    expect((await acme.execute('update_contact')).status).toBe(403)
    await acme.policy({ ...forbids, policy_id, version: 1, enabled: false })
    await local.drain()
    await look()
    await local.drain()

    expect(bodyOf(await acme.call(learning.listRoutingUpdates), 200).items[0]).toMatchObject({
      status: 'suspended',
      ended_because: 'bad_record',
    })
    expect(await tier()).toBe('SOFT')
    bodyOf(await propose({}), 201)
  })

  test('lets what loosens lapse with its time, and what was approved expire', async () => {
    await applied()
    await local.advance(180 * DAY_MS)
    expect(await tier()).toBe('SOFT')
    await look()
    expect(await statuses()).toEqual(['lapsed'])

    proposer = await signIn(local, acme.owner)
    approver = await signIn(local, acme.approver)
    await approved()
    await local.advance(14 * DAY_MS)
    await look()
    expect(await statuses()).toEqual(['expired', 'lapsed'])
  })

  test('takes out a rule that somebody put back after it was suspended', async () => {
    await applied()
    const loose = await rule()
    await applied({ to: 'HARD' })
    const strict = await rule()
    if (loose && strict) await acme.ctx.table.commit([routingRules.replace(loose, strict)])
    expect(await tier()).toBe('AUTO')

    await local.advance(10 * 60_000)
    await look()
    expect(await rule()).toBeUndefined()
    expect(await tier()).toBe('SOFT')
  })
})

test('a check finds the applied update whose entry somebody took out of the audit log', async () => {
  const [one, other] = [await applied(), await applied({ type: 'threshold_change', to: 0.5 })]
  const { table, space } = acme.ctx
  await approved({ to: 'HARD' })
  const ask = { ctx: acme.ctx, now: local.clock.now(), since: local.clock.now() - 90 * DAY_MS }
  const traced = async () => Object.fromEntries((await learnFacts.routing(ask)).map((it) => [it.id, it.traced]))

  expect(await traced()).toEqual({ [one]: true, [other]: true })
  const pk = resourcePartition(space, { type: 'routing_update', id: one })
  const [entry] = await table.query(auditEntries, { pk, index: 'gsi2' })
  if (entry) await table.commit([auditEntries.remove(entry)])

  expect(await traced()).toEqual({ [one]: false, [other]: true })
  expect(await learnFacts.routing({ ...ask, since: local.clock.now() + DAY_MS })).toEqual([])
})

test('an auditor gets the applied updates of a window, each with its counterpart in the chain', async () => {
  const id = await applied()
  bodyOf(await propose({ to: 'HARD' }), 201)
  const now = local.clock.now()
  const [population] = learnPopulations
  const rows: Row[] = []
  const window = (from: number, to: number) => ({ start_at: iso(from), end_at: iso(to) })
  for await (const page of population?.rows(acme.ctx, window(now - DAY_MS, now)) ?? []) rows.push(...page)
  for await (const page of population?.rows(acme.ctx, window(now, now + DAY_MS)) ?? []) rows.push(...page)

  expect(rows).toMatchObject([{ id, before: 'SOFT', after: 'AUTO', loosens: true, approval_id: expect.any(String) }])
  const { body } = await acme.call(evidence.latest, { query: { type: 'routing.update.changed' } })
  const headers = await Promise.all(
    body.items.map(async ({ artifact_id }: { artifact_id: string }) => {
      const found = bodyOf(await acme.call(evidence.get, { params: { id: artifact_id } }), 200)
      return population?.chain?.ofArtifact(JSON.parse(found.header))
    }),
  )
  expect(headers.filter((one) => one !== undefined)).toEqual([id])
})
