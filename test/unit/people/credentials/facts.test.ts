import { beforeEach, expect, test } from 'vitest'
import { approvals } from '../../../../shared/govern/approvals/approval.ts'
import { pending } from '../../govern/approvals/make.ts'
import { type Endpoint, endpoints } from '../../../../shared/deliver/webhooks/endpoints/endpoint.ts'
import { peopleFacts } from '../../../../shared/people/compliance-facts.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { sessions } from '../../../../shared/identity/sessions/session.ts'
import { openTask } from '../../../../shared/govern/tasks/open-task.ts'
import { commitTask } from '../../../../shared/govern/tasks/store-task.ts'
import { accountIn } from '../../../support/person.ts'
import { type Deployment, deploy } from '../../edge/deployment.ts'

const DAY = 86_400_000
/** Of the tenant; the clock moves with each look. */
const NOW = Date.UTC(2026, 10, 20, 22, 38)
let it: Deployment
beforeEach(async () => {
  it = await deploy()
})

const ago = (days: number) => iso(NOW - days * DAY)
const left = (id: string, days: number, status: 'suspended' | 'deleted' = 'suspended') =>
  accountIn(it.space, [], { id, status, tokens_valid_after: ago(days), updated_at: ago(0) })
const leavers = async () => {
  const found = await peopleFacts.leavers({ ctx: it.ctx, now: NOW, since: 0 })
  return Object.fromEntries(found.map(({ id, holds }) => [id, holds.toSorted()]))
}

const session = (sid: string, user_id: string, created: number) => {
  const at = NOW - created * DAY
  return sessions.insert({
    sid,
    user_id,
    tenant_id: it.space.tenant_id,
    created_at: at,
    last_seen: at,
    abs_exp: at + 30 * DAY,
    refresh_exp: at + 30 * DAY,
    ip: '203.0.113.9',
    country: null,
    user_agent: '',
    amr: ['pwd'],
    generation: 0,
    rt: '',
    rotated_at: at,
    older: [],
    state: 'active',
  })
}

test('people who left in the last month are looked at a day later, and hold nothing as a rule', async () => {
  await left('today', 0.9)
  await left('suspended', 2)
  await left('deleted', 29, 'deleted')
  await left('long-ago', 31)

  expect(await leavers()).toEqual({ suspended: [], deleted: [] })
})

test('what was made in their name since is found: a session, a key and a task', async () => {
  await left('anna', 5)
  await it.ctx.table.commit([session('before', 'anna', 6), session('since', 'anna', 4)])
  await it.key({ id: 'key_own', created_by: 'anna' })
  await it.key({ id: 'key_service', created_by: 'anna', service: true })
  await it.key({ id: 'key_ended', created_by: 'anna', revoked_at: ago(4) })
  await commitTask(it.ctx, await openTask(it.ctx, { id: 'tsk_1', title: 'Look', kind: 'general', assigned: toAnna }))

  expect(await leavers()).toEqual({ anna: ['key_own', 'since', 'tsk_1'] })
})

const toAnna = { assignee: { type: 'human', id: 'anna' } as const, stays: [] }

test('an endpoint whose address they set is found unless it is disabled', async () => {
  await left('anna', 5)
  const hook = (id: string, status: Endpoint['status']): Endpoint => ({
    ...it.space,
    id,
    status,
    name: id,
    url: 'https://hooks.example/a',
    events: ['*'],
    header_names: [],
    secrets: [],
    sealed: new Uint8Array(),
    consecutive_failed: 0,
    created_at: ago(6),
    updated_at: ago(6),
    created_by: { type: 'api_key', id: 'key_1' },
    responsible: 'anna',
  })
  const all = [hook('whe_on', 'active'), hook('whe_error', 'error'), hook('whe_off', 'disabled')]
  await it.ctx.table.commit(all.map((one) => endpoints.insert(one)))

  expect(await leavers()).toEqual({ anna: ['whe_error', 'whe_on'] })
})

test('whoever left long ago and still has a working key is named, too', async () => {
  await left('bert', 80, 'deleted')
  await it.key({ id: 'key_old', created_by: 'bert' })

  expect(await leavers()).toEqual({ bert: ['key_old'] })
})

test('requests that wait under their own name, or that of a key of theirs, are named', async () => {
  await left('anna', 5)
  await it.key({ id: 'key_ended', created_by: 'anna', revoked_at: ago(4) })
  const waiting = (id: string, requester: string) =>
    approvals.insert(pending({ id, requested_by: { type: 'user', id: requester } }))
  await it.ctx.table.commit([waiting('apr_1', 'anna'), waiting('apr_2', 'key_ended'), waiting('apr_3', 'bert')])

  expect(await leavers()).toEqual({ anna: ['apr_1', 'apr_2'] })
})
