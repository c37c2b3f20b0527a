// What readers of facts make of a tenant whose people and agents did a little of everything.
import { beforeAll, describe, expect, test } from 'vitest'
import { evidence } from '../../../functions/evidence/routes.ts'
import { incidents } from '../../../functions/incidents/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { work } from '../../../functions/work/routes.ts'
import { STATE_CHECKS } from '../../../shared/assure/checks/state-checks.ts'
import { assureFacts } from '../../../shared/assure/compliance-facts.ts'
import { systemContext } from '../../../shared/base/context.ts'
import type { FactAsk, FactSources } from '../../../shared/base/ports/check-facts.ts'
import { deliverFacts } from '../../../shared/deliver/compliance-facts.ts'
import { governFacts } from '../../../shared/govern/compliance-facts.ts'
import { saveLexicon } from '../../../shared/govern/policies/save.ts'
import { identityFacts } from '../../../shared/identity/compliance-facts.ts'
import { ledgerFacts } from '../../../shared/ledger/compliance-facts.ts'
import { learnFacts } from '../../../shared/learn/compliance-facts.ts'
import { operateFacts } from '../../../shared/operate/compliance-facts.ts'
import { peopleFacts } from '../../../shared/people/compliance-facts.ts'
import { enrolTotp } from '../../support/factors.ts'
import { bodyOf, type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { personWith } from '../../support/people.ts'
import { personIn } from '../../support/person.ts'
import { signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** All that this service can tell; a required reader that is missing does not compile. */
const SOURCES: FactSources = {
  ...ledgerFacts,
  ...identityFacts,
  ...governFacts,
  ...deliverFacts,
  ...operateFacts,
  ...assureFacts,
  ...learnFacts,
  ...peopleFacts,
}

const local = useLocalStack()
let acme: Governed
let owner: SignedIn
let leaver: string

const ask = (over: Partial<FactAsk> = {}): FactAsk => {
  const now = local.clock.now()
  return { ctx: acme.ctx, now, since: now - 90 * DAY, ...over }
}
const inTest = (): Partial<FactAsk> => ({ ctx: systemContext({ tenant_id: acme.tenant_id, mode: 'test' }) })

beforeAll(async () => {
  const endpoints = [
    { action_id: 'get_contact', target: { type: 'http', url: 'http://127.0.0.1:9000/' } },
    { action_id: 'delete_contact' },
    { action_id: 'frobnicate' },
    { action_id: 'discombobulate' },
  ]
  acme = await governed(local, endpoints)
  owner = await signIn(local, acme.owner)
  await enrolTotp(local, owner)
  bodyOf(await acme.register(endpoints, { version: '1.0.1', owner: acme.owner.email.toUpperCase() }), 201)
  await acme.policy({ name: 'Ask for it', effect: 'require_approval', scope: { action_ids: ['frob*'] } })
  await acme.policy({ name: 'Everything', effect: 'min_tier', tier: 'SOFT', scope: { action_ids: ['**'] } })
  const { approval } = await acme.held()
  bodyOf(await acme.approve(approval.id), 200)
  bodyOf(
    await acme.call(webhooks.create, { body: { name: 'Tickets', url: 'https://hooks.example.com/', events: ['*'] } }),
    201,
  )
  bodyOf(await acme.call(work.createTask, { body: { title: 'Erase Ann', kind: 'dsr', assignee: null } }), 201)
  bodyOf(
    await acme.call(incidents.create, { body: { title: 'Lost', severity: 'sev1', personal_data_breach: true } }),
    201,
  )
  bodyOf(await acme.call(evidence.erase, { body: { reason: 'asked', data_subject: 'ann' } }), 200, 201, 202)
  const params = { tenant_id: acme.tenant_id }
  bodyOf(await owner.call(security.auditLogs, { params }), 200)
  bodyOf(await acme.call(security.auditLogs, { params }), 200)
  const { user_id } = await personWith(local, owner, ['developer'])
  leaver = user_id
  bodyOf(await owner.call(users.update, { params: { id: leaver }, body: { status: 'suspended' } }), 200)
  await local.drain()
  await local.advance(2 * MINUTE)
  await local.sweep()
})

describe('facts of identity', () => {
  test('tell who administers, and whose factor is confirmed', async () => {
    const people = await SOURCES.users(ask())

    expect(people.find(({ id }) => id === owner.user_id)).toMatchObject({
      status: 'active',
      owner: true,
      privileged: true,
      has_factor: true,
      sso_only: false,
    })
    expect(people.find(({ id }) => id === acme.approver.id)).toMatchObject({ privileged: false, has_factor: false })
    expect(people.find(({ id }) => id === leaver)?.status).toBe('suspended')
  })

  test('are those of the tenant in both modes, but keys are those of the mode', async () => {
    const [live, sandbox] = [await SOURCES.keys(ask()), await SOURCES.keys(ask(inTest()))]

    expect(live.length).toBeGreaterThan(0)
    expect(live.filter(({ id }) => sandbox.some((other) => other.id === id))).toEqual([])
    expect(await SOURCES.users(ask(inTest()))).toEqual(await SOURCES.users(ask()))
    expect(await SOURCES.settings(ask(inTest()))).toEqual(await SOURCES.settings(ask()))
  })

  test('tell of the key of data keys what KMS says', async () => {
    expect(await SOURCES.kms(ask())).toEqual({ managed_by: 'service', state: 'Enabled', rotates: true })
  })

  test('name the key that somebody who left got behind the service’s back, once clean-up is over', async () => {
    await makeKey(acme, { id: 'key_00000000000000000000000001', created_by: leaver })
    const later = ask({ now: local.clock.now() + 2 * DAY })

    expect(await SOURCES.leavers(ask())).toEqual([])
    expect(await SOURCES.leavers(later)).toEqual([{ id: leaver, holds: ['key_00000000000000000000000001'] }])
  })
})

describe('facts of govern', () => {
  test('tell which actions a policy names, and which nobody knows', async () => {
    const known = { recognised: true, governed: false, target: undefined }

    expect(await SOURCES.actions(ask())).toEqual([
      { ...known, id: `${NODE_ID}/get_contact`, target: 'http://127.0.0.1:9000/' },
      { ...known, id: `${NODE_ID}/delete_contact` },
      { ...known, id: `${NODE_ID}/frobnicate`, recognised: false, governed: true },
      { ...known, id: `${NODE_ID}/discombobulate`, recognised: false },
    ])
    expect(await SOURCES.actions(ask(inTest()))).toEqual([])
  })

  test('find the owner of a node by their address, in any case', async () => {
    expect(await SOURCES.nodes(ask())).toEqual([{ id: NODE_ID, has_owner: true }])
  })

  test('tell of policies, approvals and tasks, but not of the task that an approval made', async () => {
    expect(await SOURCES.policies(ask())).toHaveLength(2)
    expect(await SOURCES.sla_approvals?.(ask())).toEqual([{ id: expect.stringMatching(/^apr_/), met: true }])
    expect((await SOURCES.tasks?.(ask()))?.map(({ kind }) => kind).toSorted()).toEqual(['breach_notification', 'dsr'])
    expect(await SOURCES.governance(ask())).toEqual({ pii_mode: 'detect' })
  })
})

describe('facts of the other areas', () => {
  test('tell of the chain what its newest checkpoint covers', async () => {
    const chain = await SOURCES.chain(ask())

    expect(chain).toMatchObject({ broken: false, checkpoint: { opens: true } })
    expect(chain.checkpoint?.size).toBeGreaterThan(10)
  })

  test('tell when a person read the audit log, not when a key did', async () => {
    expect(await SOURCES.audit_reads(ask())).toEqual([{ at: expect.any(String), user_id: owner.user_id }])
  })

  test('tell of receivers, incidents and objectives', async () => {
    expect(await SOURCES.endpoints(ask())).toEqual([
      expect.objectContaining({
        status: 'active',
        url: 'https://hooks.example.com/',
        secret_created_at: expect.any(String),
      }),
    ])
    expect(await SOURCES.incidents?.(ask())).toEqual([
      expect.objectContaining({ status: 'triage', breach: true, notified_at: undefined, root_cause: false }),
    ])
    expect(await SOURCES.slos?.(ask())).toContainEqual(
      expect.objectContaining({ indicator: 'api_availability', status: 'no_data' }),
    )
    expect((await SOURCES.alert_rules?.(ask()))?.filter(({ seed }) => seed)).toEqual([
      expect.objectContaining({ severity: 'critical', enabled: true, seed: { watches: true } }),
    ])
    expect(await SOURCES.erasures(ask())).toEqual([])
  })

  test('tell of no backups here, since this platform knows none', async () => {
    expect(await SOURCES.backups(ask())).toBeNull()
  })
})

test('every check finds something to say about all of it', async () => {
  const asked = ask()
  const names = Object.keys(SOURCES) as (keyof FactSources)[]
  const read = await Promise.all(names.map(async (name) => [name, await SOURCES[name]?.(asked)]))
  const facts = Object.fromEntries(read)

  const found = Object.entries(STATE_CHECKS).map(([id, { find }]) => [id, find(facts, asked).status])

  expect(Object.fromEntries(found)).toMatchObject({
    'GOV-03': 'fail',
    'GOV-04': 'pass',
    'GOV-06': 'pass',
    'GOV-07': 'pass',
    'IAM-01': 'fail',
    'IAM-03': 'pass',
    'IAM-08': 'fail',
    'IAM-09': 'fail',
    'SEC-01': 'pass',
    'SEC-02': 'fail',
    'PRV-01': 'pass',
    'PRV-04': 'pass',
    'OPS-02': 'pass',
    'OPS-05': 'not_applicable',
    'AI-01': 'no_data',
    'INT-01': 'no_data',
  })
})

test('facts of actions know the words of the tenant', async () => {
  const body = { verbs: { update: ['discombobulate'] }, nouns: {}, read_nouns: [], version: undefined }
  await saveLexicon(personIn(acme.ctx.space, ['owner'], { mfa_at: local.clock.now() }), body)

  const actions = await SOURCES.actions(ask())
  expect(actions.find(({ id }) => id === `${NODE_ID}/discombobulate`)).toMatchObject({ recognised: true })
})
