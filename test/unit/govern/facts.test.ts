import { beforeEach, describe, expect, test } from 'vitest'
import { type Approval, approvals } from '../../../shared/govern/approvals/approval.ts'
import { governFacts, names } from '../../../shared/govern/compliance-facts.ts'
import { newTask, NOBODY } from '../../../shared/govern/tasks/open-task.ts'
import { type Task, tasks } from '../../../shared/govern/tasks/task.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { firstId } from '../../../shared/base/lib/ids.ts'
import { type Deployment, deploy } from '../edge/deployment.ts'
import { pending } from './approvals/make.ts'
import { policyOf } from './governance/make.ts'

const DAY = 86_400_000
/** Of the tenant; the clock moves with each look. */
const NOW = Date.UTC(2026, 10, 20, 22, 38)
let it: Deployment
beforeEach(async () => {
  it = await deploy()
})

const ago = (days: number) => iso(NOW - days * DAY)
const ask = (days = 90) => ({ ctx: it.ctx, now: NOW, since: NOW - days * DAY })

describe('a policy names an action', () => {
  const action = { node: 'crm.contacts.editor', category: 'crm', action: 'frobnicate', kind: 'unknown' }

  test.each([
    ['by its id', { action_ids: ['frobnicate'] }, true],
    ['by the beginning of its id', { action_ids: ['frob*'] }, true],
    ['by its node', { node_ids: ['crm.**'] }, true],
    ['by its kind', { action_kinds: ['unknown'] }, true],
    ['not when it names everything', { action_ids: ['**'], node_ids: ['*'] }, false],
    ['not when it names everything beside something', { action_ids: ['frobnicate', '*'] }, false],
    ['not when it has no scope', {}, false],
    ['not when another list leaves it out', { action_ids: ['frobnicate'], categories: ['billing'] }, false],
    ['not when it binds one agent only', { action_ids: ['frobnicate'], agents: ['agent-1'] }, false],
    ['not when it binds one listing only', { action_ids: ['frobnicate'], listing_tiers: ['verified'] }, false],
  ])('%s', (_, scope, expected) => {
    expect(names(policyOf({ effect: 'forbid', scope }), action)).toBe(expected)
  })
})

describe('facts about tasks', () => {
  const task = (days: number, over: Partial<Task>) =>
    tasks.insert({
      ...newTask(it.ctx, { title: 'Look', kind: over.kind ?? 'dsr', assigned: NOBODY }),
      id: firstId('tsk', NOW - days * DAY).replace(/..$/, String(10 + (made += 1))),
      created_at: ago(days),
      ...over,
    })
  let made = 0

  test('are about open ones of any age and ended ones of the window, without those that traffic makes', async () => {
    const ended = { completed_at: ago(1), status: 'completed' as const, resolution: 'done' }
    await it.ctx.table.commit([
      task(300, { title: 'old and open', labels: ['a'] }),
      task(300, { ...ended }),
      task(20, { ...ended, source: { type: 'execution', id: 'exe_1' } }),
      task(20, { kind: 'agent' }),
      task(20, { kind: 'approval' }),
      task(2, { status: 'cancelled', completed_at: ago(1), resolution: ' ' }),
    ])

    const found = await governFacts.tasks(ask())

    expect(
      found.map(({ id: _, kind: __, ...fact }) => fact).toSorted((a, b) => (a.opened_at < b.opened_at ? -1 : 1)),
    ).toEqual([
      { status: 'open', source_id: undefined, opened_at: ago(300), ended_at: undefined, resolved: false },
      { status: 'completed', source_id: 'exe_1', opened_at: ago(20), ended_at: ago(1), resolved: true },
      { status: 'cancelled', source_id: undefined, opened_at: ago(2), ended_at: ago(1), resolved: false },
    ])
  })

  test('do not say when a task ended that was opened again', async () => {
    await it.ctx.table.commit([task(40, { status: 'open', completed_at: ago(20), resolution: 'done' })])

    expect(await governFacts.tasks(ask())).toMatchObject([{ status: 'open', ended_at: undefined }])
  })
})

test('approvals met their SLA when both clocks stopped in time; those without one, or dropped, are left out', async () => {
  const sla = (asked: number): Approval['sla'] => ({
    policy_id: 'sla_approvals-hard',
    consumed_ms: 0,
    running_since: ago(asked),
    first_response_due_at: iso(NOW - asked * DAY + 30 * 60_000),
    resolution_due_at: iso(NOW - asked * DAY + 4 * 3_600_000),
  })
  const decided = (id: string, minutes: number, over: object = {}, asked = 5) => {
    const at = iso(NOW - asked * DAY + minutes * 60_000)
    const times = { requested_at: ago(asked), decided_at: at, expires_at: ago(asked - 1) }
    return approvals.insert(pending({ id, status: 'rejected', ...times, sla: sla(asked), ...over }))
  }
  await it.ctx.table.commit([
    decided('apr_hit', 29),
    decided('apr_missed', 31),
    decided('apr_expired', 24 * 60, { status: 'expired' }),
    decided('apr_without', 1, { sla: undefined }),
    decided('apr_superseded', 1, { superseded_by: 'apr_hit' }),
    decided('apr_cancelled', 1, { status: 'cancelled' }),
    decided('apr_before', 1, {}, 95),
  ])

  const found = await governFacts.sla_approvals(ask())

  expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
    { id: 'apr_expired', met: false },
    { id: 'apr_hit', met: true },
    { id: 'apr_missed', met: false },
  ])
})
