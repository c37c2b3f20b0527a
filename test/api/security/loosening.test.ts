// Changes of policies and settings that let pass what was held or refused before: who makes them, and who only asks for them.
import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { type Call, caller, type Reply } from '../../support/call.ts'
import { enrolTotp, showFactor } from '../../support/factors.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { discovered, MACHINE, newClient } from '../../support/oauth.ts'
import { personWith } from '../../support/people.ts'
import { ownerInPerson, signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

const MINUTE = 60_000
const STAGES = [{ groups: ['role:owner', 'role:admin'], min_approvals: 2 }]
const HOURS = { zone: 'UTC', days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00', except: ['holidays'] }

type Tenant = Pick<Governed, 'tenant_id'>
/** What stands before, as the owner in person makes it, and the change that loosens it; both answer what they did. */
type Loosening = {
  before?: (owner: Call, of: Tenant) => Promise<Reply>
  loosen: (call: Call, of: Tenant, was: Reply['body']) => Promise<Reply>
}

const save = (call: Call, { tenant_id }: Tenant, body: object) =>
  call(security.savePolicy, { params: { tenant_id }, body })
const change = (call: Call, { tenant_id }: Tenant, settings: object) =>
  call(tenants.update, { params: { tenant_id }, body: { settings } })
const setting = (before: object, after: object): Loosening => ({
  before: (owner, of) => change(owner, of, { governance: before }),
  loosen: (call, of) => change(call, of, { governance: after }),
})
const policy = (before: object, after: object): Loosening => ({
  before: (owner, of) => save(owner, of, { ...before, name: fresh() }),
  loosen: (call, of, { policy_id, version, name }) => save(call, of, { ...before, ...after, name, policy_id, version }),
})
let named = 0
const fresh = () => `policy ${(named += 1)}`

const ASKING = {
  effect: 'require_approval',
  scope: { node_ids: ['crm.**'] },
  approval: { stages: STAGES, allow_self: false },
}
const RELAXING = { effect: 'relax_to', tier: 'AUTO', when: { field: 'action.risk', op: 'lt', value: 10 } }

const LOOSENINGS: Record<string, Loosening> = {
  'a person is no longer demanded': setting({ require_human_approver: true }, { require_human_approver: false }),
  'requesters may approve': setting({ allow_self_approval: false }, { allow_self_approval: true }),
  'unknown actions are SOFT': setting({ unknown_tier: 'HARD' }, { unknown_tier: 'SOFT' }),
  'less trust is needed': setting({ trust_floor: 50 }, { trust_floor: 49 }),
  'a higher cap of amounts': setting({ amount_cap: 100 }, { amount_cap: 101 }),
  'no cap of amounts': setting({ amount_cap: 100 }, { amount_cap: null }),
  'more at once': setting({ bulk_limit: 10 }, { bulk_limit: 11 }),
  'more may wait': setting({ max_open_approvals: 40 }, { max_open_approvals: 41 }),
  'the same is asked again': setting({ answer_repeats: true }, { answer_repeats: false }),
  'less is done about personal data': setting({ pii_mode: 'redact' }, { pii_mode: 'detect' }),
  'models raise less': setting({ raise_below: 0.5 }, { raise_below: 0.4 }),
  'a further own domain': setting({ domains: ['a.example'] }, { domains: ['a.example', 'evil.example'] }),
  'travel no longer ends sessions': {
    before: (owner, of) => change(owner, of, { block_impossible_travel: true }),
    loosen: (call, of) => change(call, of, { block_impossible_travel: false }),
  },
  'further agents connect': {
    before: (owner, of) => change(owner, of, { mcp: { hosts: ['claude.ai'] } }),
    loosen: (call, of) => change(call, of, { mcp: { hosts: ['claude.ai', 'evil.example'] } }),
  },
  'a policy is disabled': {
    before: (owner, of) => save(owner, of, { ...ASKING, name: fresh() }),
    loosen: (call, { tenant_id }, { policy_id }) =>
      call(security.disablePolicy, { params: { tenant_id, policy_id }, body: {} }),
  },
  'a policy is saved as disabled': policy(ASKING, { enabled: false }),
  'a policy only watches': policy(ASKING, { mode: 'shadow' }),
  'fewer approvals': policy(ASKING, { approval: { stages: [{ ...STAGES[0], min_approvals: 1 }], allow_self: false } }),
  'other approvers': policy(ASKING, { approval: { stages: [{ ...STAGES[0], groups: ['any'] }], allow_self: false } }),
  'requesters may approve under a policy': policy(ASKING, { approval: { stages: STAGES } }),
  'approvers may allow repeats': policy(ASKING, {
    approval: { stages: STAGES, allow_self: false, grant: { max_s: 3_600, max_uses: 9 } },
  }),
  'others approve after a while': policy(ASKING, {
    approval: { stages: STAGES, allow_self: false, escalate_after_s: 60, escalate_to: ['any'] },
  }),
  'a policy asks for a tier only': policy(ASKING, { effect: 'min_tier', tier: 'HARD', approval: undefined }),
  'a policy for fewer nodes': policy(ASKING, { scope: { node_ids: ['crm.contacts.**'] } }),
  'a policy under a condition': policy(ASKING, { when: { field: 'action.risk', op: 'gt', value: 50 } }),
  'a policy with an exception': policy(ASKING, { unless: { field: 'context.urgent', op: 'eq', value: true } }),
  'a policy that ends': policy(ASKING, { expires_at: '2099-01-01T00:00:00Z' }),
  'a policy beyond a limit': policy(ASKING, { limit: { measure: 'count', max: 100, window: '1h' } }),
  'a policy that relaxes': { loosen: (call, of) => save(call, of, { ...RELAXING, name: fresh() }) },
  'a policy that relaxes more': policy(RELAXING, { when: { field: 'action.risk', op: 'lt', value: 40 } }),
  'words that excuse': {
    loosen: (call, { tenant_id }) =>
      call(security.saveLexicon, {
        params: { tenant_id },
        body: { verbs: { read: ['frobnicate'] }, nouns: {}, read_nouns: [] },
      }),
  },
  'dates of a calendar in use': {
    before: async (owner, of) => {
      const params = { ...of, name: 'holidays' }
      await owner(security.saveCalendar, { params, body: { dates: [] } })
      return save(owner, of, {
        name: 'office hours',
        effect: 'forbid',
        scope: { node_ids: ['crm.**'] },
        unless: { field: 'request.time', op: 'within', value: HOURS },
      })
    },
    loosen: (call, { tenant_id }) =>
      call(security.saveCalendar, {
        params: { tenant_id, name: 'holidays' },
        body: { dates: ['2026-12-25'], version: 1 },
      }),
  },
}

/** All that governs, as it is in force. */
async function inForce(call: Call, { tenant_id }: Tenant): Promise<string> {
  const params = { tenant_id }
  const replies = [
    await call(tenants.get, { params }),
    await call(security.listPolicies, { params, query: { limit: 100 } }),
    await call(security.getLexicon, { params }),
    await call(security.listCalendars, { params }),
  ]
  return JSON.stringify(replies.map((reply) => bodyOf(reply, 200)))
}

/** Makes what stands before, tries to loosen it, and tells what became of it. What was tried is taken back. */
async function attempt(acme: Governed, owner: SignedIn, { before, loosen }: Loosening, call: Call, after = NOTHING) {
  const was = before ? bodyOf(await before(owner.call, acme), 200, 201) : {}
  const stood = await inForce(owner.call, acme)
  const reply = await loosen(call, acme, was)
  await after(reply)
  const changed = (await inForce(owner.call, acme)) !== stood
  const { tenant_id } = acme
  const { body } = await owner.call(security.listPolicies, { params: { tenant_id }, query: { limit: 100 } })
  for (const { policy_id } of body.items.filter(({ enabled }: { enabled: boolean }) => enabled))
    bodyOf(await owner.call(security.disablePolicy, { params: { tenant_id, policy_id }, body: {} }), 200)
  return { reply, changed }
}
const NOTHING = async (_: Reply): Promise<void> => undefined

const scene = async () => {
  const acme = await governed(local)
  return { acme, owner: await ownerInPerson(local, acme) }
}
type Scene = Awaited<ReturnType<typeof scene>>

const serviceKey = async (call: Call): Promise<Call> => {
  const body = { name: 'Robot', kind: 'live', scopes: ['admin'], service: true }
  return caller(local, bodyOf(await call(keys.create, { body }), 201).key)
}

const ASKERS: [string, (tried: Scene) => Promise<Call>][] = [
  ['a key', async ({ acme }) => acme.call],
  ['a service key', ({ owner }) => serviceKey(owner.call)],
  [
    'a service key whose maker was removed',
    async ({ owner }) => {
      const admin = await showFactor(local, await personWith(local, owner, ['admin']))
      const call = await serviceKey(admin.call)
      bodyOf(await owner.call(users.delete, { params: { id: admin.user_id } }), 204)
      return call
    },
  ],
]

/** None of the scopes that a client can have covers policies:write. */
const CLIENT_SCOPES = ['diagnostic:read', 'governance:read', 'evidence:read', 'agent:execute']

const REFUSED: [string, string, (tried: Scene) => Promise<Call>][] = [
  ['a session without a factor', 'enrolment_required', async ({ acme }) => (await signIn(local, acme.owner)).call],
  [
    'a session whose factor was shown ten minutes ago',
    'factor_required',
    async (tried) => {
      const admin = await personWith(local, tried.owner, ['admin'])
      await enrolTotp(local, admin)
      local.clock.moveTo(local.clock.now() + 10 * MINUTE)
      tried.owner = await ownerInPerson(local, tried.acme)
      return admin.call
    },
  ],
  [
    'an OAuth client',
    'forbidden',
    async ({ acme }) => {
      const machine = await discovered(local, await newClient(acme, { ...MACHINE, scopes: CLIENT_SCOPES }))
      return caller(local, (await client.clientCredentialsGrant(machine)).access_token)
    },
  ],
]

describe.each(ASKERS)('%s', (_, credential) => {
  test('202: only asks for what loosens, and changes nothing in force', async () => {
    const tried = await scene()
    const call = await credential(tried)
    const { acme, owner } = tried
    for (const [name, loosening] of Object.entries(LOOSENINGS)) {
      const { reply, changed } = await attempt(acme, owner, loosening, call)

      expect({ name, status: reply.status, changed }).toEqual({ name, status: 202, changed: false })
      expect(reply.body).toEqual({
        status: 'pending_approval',
        execution_id: expect.stringMatching(/^exe_/),
        approval_id: expect.stringMatching(/^apr_/),
        detail: expect.stringContaining('policies:write'),
      })
      expect(reply.headers.location).toBe(`/api/v1/work/approvals/${reply.body.approval_id}`)
    }
  })
})

describe.each(REFUSED)('%s', (_, code, credential) => {
  test('403: loosens nothing, and asks nobody', async () => {
    const tried = await scene()
    const call = await credential(tried)
    const { acme, owner } = tried
    for (const [name, loosening] of Object.entries(LOOSENINGS)) {
      const { reply, changed } = await attempt(acme, owner, loosening, call)

      expect({ name, status: reply.status, code: reply.body.code, changed }).toEqual({
        name,
        status: 403,
        code,
        changed: false,
      })
    }
    expect((await owner.call(approvals.list)).body.items).toEqual([])
  })
})

describe('a person who has just shown a factor', () => {
  test('loosens at once, and owners hear of it', async () => {
    const { acme, owner } = await scene()
    for (const [name, loosening] of Object.entries(LOOSENINGS)) {
      const { reply, changed } = await attempt(acme, owner, loosening, owner.call)

      expect({ name, ok: reply.status < 202, changed }).toEqual({ name, ok: true, changed: true })
    }
    const mails = (await mailsTo(local, acme.owner.email)).filter(({ kind }) => kind === 'access_changed')
    expect(mails.length).toBeGreaterThanOrEqual(Object.keys(LOOSENINGS).length)
    expect(mails.map(({ text }) => text).join()).toContain(
      'changed the settings, so that less is held (governance.require_human_approver)',
    )
  })
})

describe('what was asked for', () => {
  test('takes effect when a person with the right approves it in person', async () => {
    const { acme, owner } = await scene()
    const admin = await showFactor(local, await personWith(local, owner, ['admin']))
    for (const [name, loosening] of Object.entries(LOOSENINGS)) {
      const approve = async ({ body: { approval_id: id } }: Reply) => {
        const { status, body } = await admin.call(approvals.approve, { params: { id }, body: {} })
        expect({ name, status, body }).toMatchObject({ status: 200 })
      }
      const { changed, reply } = await attempt(acme, owner, loosening, acme.call, approve)

      expect({ name, status: reply.status, changed }).toEqual({ name, status: 202, changed: true })
    }
  })

  test('is exactly what is put into force, as one change with its evidence and a mail', async () => {
    const { acme, owner } = await scene()
    const admin = await showFactor(local, await personWith(local, owner, ['admin']))
    const { warnings: _, ...before } = bodyOf(await save(owner.call, acme, { ...ASKING, name: fresh() }), 201)
    const after = { ...ASKING, name: before.name, policy_id: before.policy_id, version: 1, mode: 'shadow', priority: 7 }
    const { execution_id, approval_id: id } = bodyOf(await save(acme.call, acme, after), 202)
    const held = await acme.approval(id)
    expect(held).toMatchObject({
      node_id: 'platform.governance.policies',
      action_id: 'loosen',
      kind: 'permission',
      payload: {
        change: 'policy',
        name: before.name,
        version: 1,
        loosens: ['mode'],
        changes: expect.arrayContaining([{ path: 'mode', before: 'enforce', after: 'shadow' }]),
        asked: { effect: 'require_approval', mode: 'shadow', priority: 7 },
      },
    })
    const events = await acme.told(async () => {
      expect((await admin.call(approvals.approve, { params: { id }, body: {} })).status).toBe(200)
    })

    const { tenant_id } = acme
    const params = { tenant_id, policy_id: before.policy_id }
    expect((await acme.call(security.getPolicy, { params })).body).toMatchObject({
      ...before,
      version: 2,
      mode: 'shadow',
      priority: 7,
      updated_at: expect.any(String),
      updated_by: { type: 'user', id: admin.user_id },
    })
    expect((await acme.look(execution_id)).status).toBe('executed')
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['action.approved', 'protocol.executed', 'policy.updated']),
    )
    const log = await acme.call(security.auditLogs, { params: { tenant_id }, query: { limit: 20 } })
    expect(log.body.items.map(({ action }: { action: string }) => action)).toContain('policy.updated')
    const mails = (await mailsTo(local, acme.owner.email)).map(({ text }) => text.replaceAll('\u200b', ''))
    expect(mails.join()).toContain(`${admin.email} changed a policy, so that less is held (mode)`)
  })

  test('is approved by nobody who asked, no key, nobody without the right, and in nobody’s absence, whatever the settings say', async () => {
    const { acme, owner } = await scene()
    const lax = { allow_self_approval: true, require_human_approver: false }
    await change(owner.call, acme, lax)
    const { approval_id: id } = bodyOf(await change(acme.call, acme, { governance: { bulk_limit: 99 } }), 202)
    const approve = (call: Call) => call(approvals.approve, { params: { id }, body: {} })
    const approver = await showFactor(local, await signIn(local, acme.approver))
    const absent = await personWith(local, owner, ['admin'])
    const stale = await personWith(local, owner, ['admin'])

    expect(await approve(acme.call)).toMatchObject({ status: 403, body: { code: 'person_required' } })
    expect(await approve(caller(local, acme.approver_key))).toMatchObject({
      status: 403,
      body: { code: 'person_required' },
    })
    expect(await approve(stale.call)).toMatchObject({ status: 403, body: { code: 'enrolment_required' } })
    expect(await approve(approver.call)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('policies:write') },
    })
    expect(await approve(owner.call)).toMatchObject({
      status: 403,
      body: { detail: 'You cannot approve an action that you requested. Ask another approver.' },
    })
    await showFactor(local, absent)
    const until = new Date(local.clock.now() + 60 * MINUTE).toISOString()
    const given = await absent.call(approvals.createDelegation, {
      body: { to_user_id: acme.owner.id, until, reason: 'away' },
    })
    expect(given.status).toBe(201)
    expect(
      (await owner.call(approvals.approve, { params: { id }, body: { on_behalf_of: absent.user_id } })).status,
    ).toBe(403)
    const batch = await absent.call(approvals.batch, { body: { decision: 'approve', ids: [id] } })
    expect(batch.body.results).toMatchObject([{ http_status: 409, code: 'decide_singly' }])
    expect((await acme.approval(id)).status).toBe('pending')
    expect((await approve(absent.call)).status).toBe(200)
  })

  test('counts no vote of somebody who has lost the right since', async () => {
    const { acme, owner } = await scene()
    bodyOf(
      await save(owner.call, acme, {
        name: fresh(),
        effect: 'require_approval',
        scope: { node_ids: ['platform.governance.policies'] },
        approval: { stages: [{ groups: ['any'], min_approvals: 2 }] },
      }),
      201,
    )
    const [first, second] = [
      await showFactor(local, await personWith(local, owner, ['admin'])),
      await showFactor(local, await personWith(local, owner, ['admin'])),
    ]
    const { approval_id: id } = bodyOf(await change(acme.call, acme, { governance: { bulk_limit: 99 } }), 202)
    const approve = (call: Call) => call(approvals.approve, { params: { id }, body: {} })
    expect(bodyOf(await approve(first.call), 200).status).toBe('pending')
    await owner.call(users.setRoles, { params: { id: first.user_id }, body: { roles: ['approver'] } })

    expect(bodyOf(await approve(second.call), 200).status).toBe('pending')
    const { body } = await owner.call(tenants.get, { params: { tenant_id: acme.tenant_id } })
    expect(body.settings.governance.bulk_limit).toBe(50)
  })

  test('409: changes nothing when what it was asked for has changed since', async () => {
    const { acme, owner } = await scene()
    const admin = await showFactor(local, await personWith(local, owner, ['admin']))
    const approve = async (id: string): Promise<Reply> => {
      const reply = await admin.call(approvals.approve, { params: { id }, body: {} })
      const successor = /Decide approval (apr_\w+) instead/.exec(reply.body.detail)?.[1]
      return successor ? approve(successor) : reply
    }
    const before = bodyOf(await save(owner.call, acme, { ...ASKING, name: fresh() }), 201)
    const { policy_id, name } = before
    const { approval_id } = bodyOf(
      await acme.call(security.disablePolicy, { params: { tenant_id: acme.tenant_id, policy_id }, body: {} }),
      202,
    )
    const settings = bodyOf(await change(acme.call, acme, { governance: { bulk_limit: 99 } }), 202)
    bodyOf(await save(owner.call, acme, { ...ASKING, name, policy_id, version: 1, priority: 9 }), 200)
    bodyOf(await change(acme.call, acme, { governance: { trust_floor: 60 } }), 200)

    expect(await approve(approval_id)).toMatchObject({ status: 409, body: { code: 'version_conflict' } })
    expect(await approve(settings.approval_id)).toMatchObject({ status: 409, body: { code: 'version_conflict' } })
    const { body } = await owner.call(tenants.get, { params: { tenant_id: acme.tenant_id } })
    expect(body.settings.governance).toMatchObject({ bulk_limit: 50, trust_floor: 60 })
  })

  test('403: is not held where a policy forbids to ask', async () => {
    const { acme, owner } = await scene()
    const scope = { node_ids: ['platform.**'] }
    bodyOf(await save(owner.call, acme, { name: fresh(), effect: 'forbid', scope }), 201)

    expect(await change(acme.call, acme, { governance: { bulk_limit: 99 } })).toMatchObject({
      status: 403,
      body: { code: 'policy_rejected' },
    })
  })

  test('a repeated request asks once', async () => {
    const { acme } = await scene()
    const headers = { 'Idempotency-Key': 'the-same' }
    const params = { tenant_id: acme.tenant_id }
    const body = { settings: { governance: { bulk_limit: 99 } } }
    const first = await acme.call(tenants.update, { params, body, headers })
    const again = await acme.call(tenants.update, { params, body, headers })

    expect([first.status, again.status]).toEqual([202, 202])
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotent-replayed']).toBe('true')
  })

  test('422: no key asks for it as an action like others', async () => {
    const { acme } = await scene()
    const payload = { change: 'settings', loosens: [], asked: {} }
    const node = { node_id: 'platform.governance.policies', action_id: 'loosen' }

    expect((await acme.call(protocol.execute, { body: { ...node, payload } })).status).toBe(422)
  })
})

test('an administrator’s key cannot approve what it asked for by way of the settings', async () => {
  const { acme } = await scene()
  const held = await acme.held()
  const settings = { require_human_approver: false, allow_self_approval: true }
  const first = await acme.call(tenants.update, { params: { tenant_id: acme.tenant_id }, body: { settings } })
  const again = await acme.held()

  expect(first.status).toBe(202)
  for (const id of [first.body.approval_id, held.approval.id, again.approval.id])
    expect((await acme.approve(id, {}, { key: acme.live_key })).status).toBe(403)
})

test('what is stricter takes effect at once, by a key as well', async () => {
  const { acme } = await scene()
  const asking = { name: fresh(), effect: 'require_approval', scope: { node_ids: ['crm.contacts.**'] } }
  const { policy_id } = bodyOf(await save(acme.call, acme, { ...asking, approval: { stages: STAGES } }), 201)
  const wider = { ...asking, scope: {}, approval: { stages: [{ ...STAGES[0], min_approvals: 3 }], allow_self: false } }
  const settings = {
    require_human_approver: true,
    governance: { bulk_limit: 3, amount_cap: 5, approval_ttl_s: 60_000 },
  }
  const lexicon = { verbs: { payment: ['blorp'] }, nouns: {}, read_nouns: [] }
  const { tenant_id } = acme

  bodyOf(await save(acme.call, acme, { ...wider, policy_id, version: 1 }), 200)
  bodyOf(await save(acme.call, acme, { ...wider, policy_id, version: 2, effect: 'forbid', approval: undefined }), 200)
  bodyOf(await change(acme.call, acme, settings), 200)
  bodyOf(await acme.call(security.saveLexicon, { params: { tenant_id }, body: lexicon }), 200)
  const params = { tenant_id, name: 'unused' }
  bodyOf(await acme.call(security.saveCalendar, { params, body: { dates: ['2026-12-25'] } }), 201)
})

test('test mode has policies of its own, which its keys change at once', async () => {
  const acme = await governed(local, undefined, { mode: 'test' })
  const relaxing = bodyOf(await save(acme.call, acme, { ...RELAXING, name: fresh() }), 201)
  const params = { tenant_id: acme.tenant_id, policy_id: relaxing.policy_id }

  bodyOf(await acme.call(security.disablePolicy, { params, body: {} }), 200)
})
