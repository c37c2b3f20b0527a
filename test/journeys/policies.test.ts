// Twelve policies that tenants want first, written by hand as `/docs` says. An agent meets each of them twice: where it acts, and
// where it lets pass.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { codeAt, stepAt } from '../../shared/identity/mfa/totp.ts'
import { DAY_MS } from '../../shared/base/lib/clock.ts'
import { fromBase32 } from '../support/factors.ts'
import { ask, type Credentials, type Service, startService } from './service.ts'

const data = mkdtempSync(join(tmpdir(), 'countersign-policies-'))

const PRODUCTION = 'shop.office.production'
const STAGING = 'shop.office.staging'
/** Each policy has an action of its own, so that no other one acts on it. */
const ACTIONS = [
  { action_id: 'update_budget' },
  { action_id: 'update_expense' },
  { action_id: 'send_email' },
  { action_id: 'update_contract' },
  { action_id: 'update_site' },
  { action_id: 'update_record' },
  { action_id: 'get_secret' },
  { action_id: 'update_wiki' },
  { action_id: 'update_price' },
  { action_id: 'update_server' },
  { action_id: 'update_team' },
  { action_id: 'update_page' },
  { action_id: 'edit_note' },
  { action_id: 'edit_file', undo_action_id: 'restore_file' },
  { action_id: 'restore_file' },
]
const manifestOf = (id: string, environment: string) => ({
  manifest: {
    protocol_version: '1.0',
    node: { id, name: 'Office', version: '1.0.0', environment, endpoints: ACTIONS },
  },
})
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7]
const inThreeDays = () => new Date(Date.now() + 3 * DAY_MS).getUTCDay() || 7

describe('a person writes a policy, and an agent meets it:', () => {
  let service: Service
  let as: Credentials
  let [owner, approver, agent] = ['', '', '']

  const post = (path: string, body: object, credential = owner) => ask('POST', as.api_url + path, credential, body)
  const signIn = async (person: object) =>
    (await ask('POST', `${as.api_url}/api/v1/auth/login`, undefined, person)).body.access_token
  const vote = (id: string) => post(`/api/v1/work/approvals/${id}/approve`, { reason: 'checked' }, approver)

  /** A new policy, or the next version of one. */
  async function write(policy: object, was?: { policy_id: string; version: number }) {
    const changed = was && { policy_id: was.policy_id, version: was.version }
    const reply = await post(`/api/v1/security/tenants/${as.tenant_id}/policies`, { ...policy, ...changed })
    expect(reply).toMatchObject({ status: was ? 200 : 201 })
    return reply.body
  }

  const execute = async (action_id: string, payload: object = {}, node_id = PRODUCTION) =>
    (await post('/api/v1/protocol/execute', { node_id, action_id, payload }, agent)).body

  /** What became of an action, and what the policy had to say about it. */
  async function meet({ policy_id }: { policy_id: string }, ...action: Parameters<typeof execute>) {
    const { status, receipt } = await execute(...action)
    const found = receipt.policy_evaluations.find((one: { policy_id: string }) => one.policy_id === policy_id)
    return [status, found?.result]
  }

  beforeAll(async () => {
    service = await startService(data)
    as = service.credentials
    owner = await signIn(as.owner)
    approver = await signIn(as.approver)
    // A change of a policy may let pass what it held before: the owner shows that it is they who makes it.
    const { secret, factor_id } = (await post('/api/v1/auth/mfa/totp', {})).body
    const code = codeAt(fromBase32(secret), stepAt(Date.now()))
    expect(await post('/api/v1/auth/mfa/totp/confirm', { factor_id, code })).toMatchObject({ status: 200 })
    for (const manifest of [manifestOf(PRODUCTION, 'production'), manifestOf(STAGING, 'staging')])
      expect(await post('/api/v1/protocol/manifest', manifest)).toMatchObject({ status: 201 })
  })
  // Each policy meets an agent of its own, because one that was refused is trusted less.
  beforeEach(async ({ task }) => {
    const key = { name: task.name, kind: 'live', scopes: ['governance:read', 'agent:execute'], agent_id: task.id }
    const made = await post('/api/v1/api-keys', key)
    expect(made).toMatchObject({ status: 201 })
    agent = made.body.key
  })
  afterAll(async () => {
    await service?.process.kill()
    rmSync(data, { recursive: true })
  })

  test('above an amount, a group approves', async () => {
    const policy = await write({
      name: 'Large budgets',
      effect: 'require_approval',
      scope: { action_ids: ['*budget*'] },
      when: { field: 'signals.amount', op: 'gt', value: 100, currency: 'EUR' },
      approval: { stages: [{ groups: ['role:approver'] }] },
    })
    const budget = (amount: number, currency = 'EUR') => meet(policy, 'update_budget', { amount, currency })

    expect(await budget(100)).toEqual(['executed', 'pass'])
    expect(await budget(100.01)).toEqual(['pending_approval', 'require_approval'])
    expect(await budget(1, 'JPY')).toEqual(['pending_approval', 'require_approval'])
  })

  test('a sum in 24 hours, beyond which a person approves', async () => {
    const policy = await write({
      name: 'Expenses in a day',
      effect: 'require_approval',
      scope: { action_ids: ['update_expense'] },
      limit: { measure: 'sum', max: 100, window: '24h', currency: 'EUR' },
      approval: { stages: [{ groups: ['role:approver'] }] },
    })
    const spend = (amount: number) => meet(policy, 'update_expense', { amount, currency: 'EUR' })

    expect(await spend(60)).toEqual(['executed', 'pass'])
    expect(await spend(40)).toEqual(['executed', 'pass'])
    expect(await spend(0.01)).toEqual(['pending_approval', 'require_approval'])
  })

  test('so many mails an hour for each agent', async () => {
    const policy = await write({
      name: 'Mails per hour',
      effect: 'forbid',
      scope: { action_kinds: ['email'] },
      limit: { measure: 'count', max: 1, window: '1h', per: ['agent'] },
    })
    const first = await execute('send_email')
    expect(await vote(first.approval.id)).toMatchObject({ status: 200, body: { status: 'approved' } })

    expect(await meet(policy, 'send_email')).toEqual(['rejected', 'forbid'])
    expect((await execute('update_wiki')).status).toBe('executed')
  })

  test('somebody of each of two groups approves', async () => {
    const policy = await write({
      name: 'Large contracts',
      effect: 'require_approval',
      scope: { action_ids: ['update_contract'] },
      when: { field: 'signals.amount', op: 'gt', value: 1_000, currency: 'EUR' },
      approval: { stages: [{ groups: ['role:approver', 'role:admin'], mode: 'each' }] },
    })
    expect(await meet(policy, 'update_contract', { amount: 1_000, currency: 'EUR' })).toEqual(['executed', 'pass'])
    const { approval } = await execute('update_contract', { amount: 1_001, currency: 'EUR' })

    expect(await vote(approval.id)).toMatchObject({ status: 200, body: { status: 'pending' } })
  })

  test('refused outside working hours', async () => {
    const hours = (days: number[]) => ({
      name: 'Working hours',
      effect: 'forbid',
      scope: { action_ids: ['update_site'] },
      unless: { field: 'request.time', op: 'within', value: { zone: 'UTC', days, from: '00:00', to: '24:00' } },
    })
    const policy = await write(hours(EVERY_DAY))
    expect(await meet(policy, 'update_site')).toEqual(['executed', 'pass'])

    await write(hours([inThreeDays()]), policy)
    expect(await meet(policy, 'update_site')).toEqual(['rejected', 'forbid'])
  })

  test('no personal data to others', async () => {
    const policy = await write({
      name: 'Nothing personal leaves',
      effect: 'forbid',
      scope: { action_ids: ['update_record'] },
      when: {
        all: [
          { field: 'signals.pii', op: 'any_in', value: ['IBAN'] },
          { not: { field: 'signals.external_domains', op: 'all_in', value: ['acme.example'] } },
        ],
      },
    })
    const text = 'IBAN DE89370400440532013000'

    expect(await meet(policy, 'update_record', { text })).toEqual(['executed', 'pass'])
    expect(await meet(policy, 'update_record', { to: 'bob@acme.example', text })).toEqual(['pending_approval', 'pass'])
    expect(await meet(policy, 'update_record', { to: 'bob@other.example', text })).toEqual(['rejected', 'forbid'])
  })

  test('after reading a secret, a person approves what is written', async () => {
    const policy = await write({
      name: 'After a secret',
      effect: 'require_approval',
      scope: { action_ids: ['update_wiki'] },
      after: { kinds: ['secret_read'], within: '10m', per: 'agent' },
    })
    expect(await meet(policy, 'update_wiki')).toEqual(['executed', 'pass'])
    const { approval } = await execute('get_secret')
    expect(await vote(approval.id)).toMatchObject({ status: 200, body: { status: 'approved' } })

    expect(await meet(policy, 'update_wiki')).toEqual(['pending_approval', 'require_approval'])
  })

  test('not from a country, nor from one that is not known, but from the own network', async () => {
    const policy = {
      name: 'Countries',
      effect: 'forbid',
      scope: { action_ids: ['update_price'] },
      when: { field: 'request.country', op: 'in', value: ['br'], ignore_case: true },
    }
    const unless = { field: 'request.ip', op: 'cidr_in', value: ['127.0.0.0/8', '::1/128'] }
    const written = await write({ ...policy, unless })
    expect(await meet(written, 'update_price')).toEqual(['executed', 'pass'])

    await write(policy, written)
    expect(await meet(written, 'update_price')).toEqual(['rejected', 'forbid'])
  })

  test('changes of production wait', async () => {
    const policy = await write({
      name: 'Production',
      effect: 'require_approval',
      scope: { node_ids: ['shop.**'], action_ids: ['update_server'] },
      when: { field: 'node.environment', op: 'eq', value: 'production' },
      approval: { stages: [{ groups: ['role:approver'] }] },
    })

    expect(await meet(policy, 'update_server')).toEqual(['pending_approval', 'require_approval'])
    expect(await meet(policy, 'update_server', {}, STAGING)).toEqual(['executed', 'pass'])
  })

  test('new agents ask first', async () => {
    const policy = {
      name: 'New agents',
      effect: 'min_tier',
      tier: 'HARD',
      scope: { action_ids: ['update_team'] },
      when: { field: 'agent.hours_known', op: 'lt', value: 72 },
    }
    const written = await write(policy)
    expect(await meet(written, 'update_team')).toEqual(['pending_approval', 'min_tier:HARD'])

    await write({ ...policy, scope: { action_kinds: ['delete'] } }, written)
    expect(await meet(written, 'update_team')).toEqual(['executed', undefined])
  })

  test('what cannot be undone waits', async () => {
    const policy = await write({ name: 'Undo', effect: 'require_undo', scope: { action_ids: ['edit_*'] } })

    expect(await meet(policy, 'edit_note')).toEqual(['pending_approval', 'require_undo'])
    expect((await meet(policy, 'edit_file'))[0]).toBe('executed')
  })

  test('stopped until a time', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
    const policy = { name: 'Stopped', effect: 'forbid', scope: { action_ids: ['update_page'] } }
    const written = await write({ ...policy, valid_from: inDays(1), expires_at: inDays(2) })
    expect(await meet(written, 'update_page')).toEqual(['executed', undefined])

    await write({ ...policy, expires_at: inDays(1) }, written)
    expect(await meet(written, 'update_page')).toEqual(['rejected', 'forbid'])
  })
})
