// Names in policies as people write them: groups, actions, and words of other languages of rules.
import { beforeAll, describe, expect, test } from 'vitest'
import { keys } from '../../../functions/keys/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { directory } from '../scim/directory.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local)
})

const save = (body: object) => acme.call(security.savePolicy, { params: { tenant_id: acme.tenant_id }, body })
const requiring = (group: string, name = group) =>
  save({ name, effect: 'require_approval', approval: { stages: [{ groups: [group] }], expires_in_s: 600 } })

describe('a directory group', () => {
  test('201: goes by its name, is stored by its id and shown with its name', async () => {
    const { group, patchGroup } = await directory(local, 'live', acme)
    const { id } = await group({ displayName: 'Finance & Controlling', members: [{ value: acme.approver.id }] })
    const saved = bodyOf(await requiring('group:finance & controlling'), 201)

    expect(saved.approval.stages[0].groups).toEqual([`group:${id}`])
    expect(saved.group_names).toEqual({ [`group:${id}`]: 'Finance & Controlling' })
    const params = { tenant_id: acme.tenant_id, policy_id: saved.policy_id }
    await patchGroup(id, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'displayName', value: 'Treasury' }],
    })
    const names = { [`group:${id}`]: 'Treasury' }
    expect((await acme.call(security.getPolicy, { params })).body.group_names).toEqual(names)
    const { body } = await acme.call(security.listPolicies, { params: { tenant_id: acme.tenant_id } })
    expect(body.items).toMatchObject([{ group_names: names }])
    const held = await acme.held('get_contact')
    expect(held.approval.stages).toMatchObject([{ groups: [`group:${id}`] }])
  })

  test('422: a name of two, with their ids', async () => {
    const { group } = await directory(local, 'live', acme)
    const ids = [await group({ displayName: 'Twins' }), await group({ displayName: 'twins' })].map(({ id }) => id)
    const { status, body } = await requiring('group:Twins')

    expect(status).toBe(422)
    expect(body.detail[0].msg).toMatch(/^is the name of 2 directory groups; name one by its id: /)
    for (const id of ids) expect(body.detail[0].msg).toContain(`group:${id}`)
    expect((await requiring(`group:${ids[0]}`)).status).toBe(201)
  })

  test('422: a misspelt name or role, with what it resembles', async () => {
    const { group } = await directory(local, 'live', acme)
    await group({ displayName: 'Legal' })

    expect((await requiring('group:Leagl')).body.detail[0].msg).toBe(
      'is not an approver group of this tenant; did you mean group:Legal?',
    )
    expect((await requiring('role:aprover')).body.detail[0].msg).toBe(
      'is not an approver group of this tenant; did you mean role:approver?',
    )
  })
})

test('201: warns of names that nothing registered has', async () => {
  const { call } = await signIn(local, acme.owner)
  bodyOf(
    await call(keys.create, {
      body: { name: 'mailer', kind: 'live', scopes: ['agent:execute'], agent_id: 'agt_mailer' },
    }),
    201,
  )
  const { warnings } = await acme.policy({
    name: 'names',
    effect: 'forbid',
    mode: 'shadow',
    scope: {
      node_ids: ['crm.contacts.*', 'crm.contcats.*', 'platform.**'],
      action_ids: ['get_*', 'delte_*'],
      agents: ['agt_mailer', 'agt_nobody'],
    },
  })

  expect(warnings).toEqual([
    expect.stringContaining('names agents'),
    'No registered node matches "crm.contcats.*"; did you mean "crm.contacts.*"?',
    'No registered action matches "delte_*"; did you mean "delete_*"?',
    expect.stringMatching(/^No agent of a credential matches "agt_nobody"/),
  ])
})

test.each<[object, string]>([
  [{ effect: 'deny' }, 'use forbid'],
  [{ effect: 'allow' }, 'use relax_to'],
  [{ rate: '20/h' }, 'unknown field; use "limit"'],
  [
    { timezone: 'Europe/Berlin' },
    'unknown field; use request.time with the operator "within", whose value has a "zone"',
  ],
  [{ when: { and: [] } }, 'is not part of a condition with field, op, value, ignore_case, currency; use "all"'],
  [{ when: { field: 'amount', op: 'gt', value: 5 } }, 'unknown field; did you mean signals.amount or payload./amount?'],
  [{ scope: { action_kinds: ['paymnt'] } }, 'matches no kind of action; did you mean payment?'],
])('422: %j is answered: %s', async (change, msg) => {
  expect(await save({ name: 'hint', effect: 'forbid', ...change })).toMatchObject({
    status: 422,
    body: { detail: [{ msg }] },
  })
})
