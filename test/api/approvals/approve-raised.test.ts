// Nobody approves their own requests through an account that they have just made, promoted or taken over: such a vote counts only
// where nobody else could decide.
import { beforeEach, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { auth } from '../../../functions/auth/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { roles } from '../../../functions/roles/routes.ts'
import { scim } from '../../../functions/scim/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { approvalLink } from '../../../shared/govern/approvals/votes/rules.ts'
import { users as accounts } from '../../../shared/identity/accounts/user.ts'
import { Browser } from '../../support/browser.ts'
import { enrolTotp, showFactor } from '../../support/factors.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { alarms, steal, plant } from '../../support/insider.ts'
import { PASSWORD } from '../../support/local-stack.ts'
import { tokenFor } from '../../support/mailbox.ts'
import { freshAddress, inPerson, newPersonWith, type Person, personWith } from '../../support/people.ts'
import { ownerInPerson, signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
const DAY_MS = 86_400_000
let acme: Governed
let owner: SignedIn
beforeEach(async () => {
  acme = await governed(local, [{ action_id: 'delete_contact' }, { action_id: 'edit_contact' }])
  owner = await ownerInPerson(local, acme)
})

const fresh = (...given: string[]) => newPersonWith(local, owner, given)
const known = (...given: string[]) => personWith(local, owner, given)
const again = async ({ email }: Person): Promise<Person> => ({ ...(await signIn(local, { email })), email })
const set = async ({ user_id: id }: SignedIn, rights: object, by = owner) =>
  bodyOf(await by.call(users.setRoles, { params: { id }, body: rights }), 200)
const update = async ({ user_id: id }: SignedIn, body: object) =>
  bodyOf(await owner.call(users.update, { params: { id }, body }), 200)
const vote = (id: string, { access_token: key }: Pick<SignedIn, 'access_token'>, body = {}) =>
  acme.approve(id, body, { key })
const asked = async (): Promise<string> => (await acme.held()).approval.id
const withoutFounder = async () => bodyOf(await owner.call(users.delete, { params: { id: acme.approver.id } }), 204)
const requires = (...stages: object[]) =>
  acme.policy({ name: 'people', effect: 'require_approval', approval: { stages } })
const shown = async (id: string, { call }: SignedIn) => bodyOf(await call(approvals.get, { params: { id } }), 200)

const NOT_INDEPENDENT = { status: 403, body: { code: 'not_independent' } }

/** Each makes somebody who may decide only, or again, by what the owner did. */
const WAYS: [string, () => Promise<Person>][] = [
  ['invited', () => fresh('approver')],
  [
    'given a role',
    async () => {
      const one = await known('member')
      await set(one, { roles: ['approver'] })
      return one
    },
  ],
  [
    'granted the permission',
    async () => {
      const one = await known('auditor')
      await set(one, { roles: ['auditor'], grants: ['approvals:decide'] })
      return one
    },
  ],
  [
    'freed from a denial',
    async () => {
      const one = await known('approver')
      await set(one, { roles: ['approver'], denies: ['approvals:decide'] })
      await set(one, { roles: ['approver'], denies: [] })
      return one
    },
  ],
  [
    'given another address',
    async () => {
      const one = await known('approver')
      const email = freshAddress()
      await update(one, { email })
      const query = { token: await tokenFor(local, email, 'verify_email') }
      bodyOf(await one.call(auth.verifyEmail, { query }), 200)
      return one
    },
  ],
  [
    'freed from their second factor',
    async () => {
      const one = await known('approver')
      await enrolTotp(local, one)
      bodyOf(await owner.call(mfa.reset, { params: { id: one.user_id } }), 204)
      return again(one)
    },
  ],
  [
    'suspended and restored',
    async () => {
      const one = await known('approver')
      await update(one, { status: 'suspended' })
      await update(one, { status: 'active' })
      return again(one)
    },
  ],
  [
    'given a permission with their role',
    async () => {
      const description = 'Looks after things.'
      bodyOf(
        await owner.call(roles.create, { body: { name: 'ops', description, permissions: ['approvals:read'] } }),
        201,
      )
      const one = await known('ops')
      const body = { description, permissions: ['approvals:read', 'approvals:decide'] }
      bodyOf(await owner.call(roles.replace, { params: { role: 'ops' }, body }), 200)
      return one
    },
  ],
  [
    'put into a group that gives the role',
    async () => {
      const one = await known('member')
      const settings = { group_roles: [{ group: 'Deciders', role: 'approver' }] }
      const params = { tenant_id: acme.tenant_id }
      bodyOf(await owner.call(tenants.update, { params, body: { settings } }), 200)
      const body = { displayName: 'Deciders', members: [{ value: one.user_id }] }
      bodyOf(await acme.call(scim.createGroup, { body }), 201)
      return one
    },
  ],
]

describe.each(WAYS)('who was %s by the requester within 30 days', (_, made) => {
  test('403: does not approve, while another can; the approval says so, and the person may reject', async () => {
    const puppet = await made()
    const [first, second] = [await asked(), await asked()]

    expect(await vote(first, puppet)).toMatchObject(NOT_INDEPENDENT)
    expect(await shown(first, puppet)).toMatchObject({
      status: 'pending',
      raised: { by: [acme.owner.id], counts: false },
    })
    expect((await acme.reject(second, { reason: 'no' }, { key: puppet.access_token })).body.status).toBe('rejected')
    expect((await acme.approve(first)).body).toMatchObject({ status: 'approved' })
  })
})

test('a role given to somebody who can decide already does not end their independence', async () => {
  const one = await known('approver')
  await set(one, { roles: ['approver', 'auditor'] })

  const { body } = await vote(await asked(), one)
  expect(body.status).toBe('approved')
  expect(body.votes[0]).not.toHaveProperty('raised_by')
})

test('two people whom one owner invited decide on the requests of each other', async () => {
  const [developer, approver] = [await fresh('developer'), await fresh('approver')]
  const { approval } = await acme.held('delete_contact', {}, { key: developer.access_token })

  expect((await vote(approval.id, approver)).body.status).toBe('approved')
})

describe('nothing washes an account', () => {
  test('neither a second raise by somebody else', async () => {
    const [puppet, admin] = [await fresh('approver'), await showFactor(local, await known('admin'))]
    await set(puppet, { roles: ['member'] }, admin)
    await set(puppet, { roles: ['approver'] }, admin)

    expect(await vote(await asked(), puppet)).toMatchObject(NOT_INDEPENDENT)
    const { raised } = bodyOf(await owner.call(users.get, { params: { id: puppet.user_id } }), 200)
    expect(raised.map(({ by }: { by: string }) => by)).toEqual([acme.owner.id, admin.user_id])
  })

  test('nor one that a puppet raises', async () => {
    const puppet = await showFactor(local, await fresh('admin'))
    const second = await newPersonWith(local, puppet, ['approver'])

    expect(await vote(await asked(), second)).toMatchObject(NOT_INDEPENDENT)
  })

  test('nor a key of a puppet', async () => {
    const puppet = await fresh('admin')
    const body = { name: 'Hand', kind: 'live', scopes: ['governance:read', 'governance:write'] }
    const { key } = bodyOf(await puppet.call(keys.create, { body }), 201)

    expect(await vote(await asked(), { access_token: key })).toMatchObject(NOT_INDEPENDENT)
  })

  test('nor a delegation, to a puppet or by one', async () => {
    await requires({ groups: ['role:approver'] })
    const delegate = async (giver: Person, to: Person) => {
      const until = new Date(local.clock.now() + DAY_MS).toISOString()
      const body = { to_user_id: to.user_id, until }
      bodyOf(await inPerson(local, giver, () => giver.call(approvals.createDelegation, { body })), 201)
    }
    const [ada, puppet, second, ben] = [
      await known('approver'),
      await fresh('admin'),
      await fresh('approver'),
      await known('admin'),
    ]
    await delegate(ada, puppet)
    await delegate(second, ben)
    const id = await asked()

    expect(await vote(id, puppet, { on_behalf_of: ada.user_id })).toMatchObject(NOT_INDEPENDENT)
    expect(await vote(id, ben, { on_behalf_of: second.user_id })).toMatchObject(NOT_INDEPENDENT)
  })

  test('nor a batch', async () => {
    await requires({ groups: ['any'] })
    const [puppet, id] = [await fresh('approver'), (await acme.held('edit_contact')).approval.id]
    const { body } = await puppet.call(approvals.batch, { body: { decision: 'approve', ids: [id] } })

    expect(body.results).toMatchObject([{ id, http_status: 403, code: 'not_independent' }])
  })

  test('nor somebody who writes to the table', async () => {
    const raised = alarms()
    const puppet = await fresh('approver')
    const at = accounts.key({ tenant_id: acme.tenant_id, id: puppet.user_id })
    const { raised: _, ...washed } = await steal(at)
    await plant(washed)

    expect((await vote(await asked(), puppet)).status).toBe(401)
    expect(raised).toContain('row_forged')
  })
})

test('30 days later the account is as any other', async () => {
  const puppet = await fresh('approver')
  local.clock.moveTo(local.clock.now() + 30 * DAY_MS - 600_000)
  expect(await vote(await asked(), await again(puppet))).toMatchObject(NOT_INDEPENDENT)
  local.clock.moveTo(local.clock.now() + 600_000)

  const { body } = await vote(await asked(), await again(puppet))
  expect(body.status).toBe('approved')
  expect(body.votes[0]).not.toHaveProperty('raised_by')
})

describe('where nobody else could decide', () => {
  let puppet: Person
  beforeEach(async () => {
    await withoutFounder()
    puppet = await fresh('approver')
  })

  test('the vote counts, and answer, approval and evidence say so', async () => {
    const { approval, receipt } = await acme.held()
    expect(await shown(approval.id, puppet)).toMatchObject({ raised: { by: [acme.owner.id], counts: true } })
    expect((await puppet.call(approvals.list, { query: { assignee: 'me' } })).body.items).toHaveLength(1)

    const marked = { status: 'approved', votes: [{ by: { id: puppet.user_id }, raised_by: [acme.owner.id] }] }
    expect((await vote(approval.id, puppet)).body).toMatchObject(marked)
    await local.drain()
    expect(await acme.approval(approval.id)).toMatchObject({
      ...marked,
      evidence_status: expect.not.stringMatching('differs'),
    })
    const { evidence: references } = await acme.look(receipt.request_id)
    const { artifact_id } = references.find(({ type }: { type: string }) => type === 'approval.approved')
    const { header } = bodyOf(await acme.call(evidence.get, { params: { id: artifact_id } }), 200)
    expect(JSON.parse(header).data).toEqual({
      raised_votes: [{ id: puppet.user_id, raised_by: [acme.owner.id] }],
    })
  })

  test('others are only those whom the open stage asks, and who have not voted', async () => {
    await requires({ groups: ['role:approver'], min_approvals: 2 })
    const ada = await known('approver')
    await known('admin')
    const id = await asked()

    expect(await vote(id, puppet)).toMatchObject(NOT_INDEPENDENT)
    expect((await puppet.call(approvals.list, { query: { assignee: 'me' } })).body.items).toEqual([])
    expect((await vote(id, ada)).body.status).toBe('pending')
    expect((await vote(id, puppet)).body).toMatchObject({
      status: 'approved',
      votes: [{ by: { id: ada.user_id } }, { raised_by: [acme.owner.id] }],
    })
  })

  test('it lapses when somebody else can decide before the deciding vote', async () => {
    await requires({ groups: ['any'], min_approvals: 2 })
    const id = await asked()
    expect((await vote(id, puppet)).body).toMatchObject({ status: 'pending', votes: [{ raised_by: [acme.owner.id] }] })
    const [ada, ben] = [await known('approver'), await known('approver')]

    expect((await vote(id, ada)).body).toMatchObject({ status: 'pending', votes: [{ lapsed: true }, {}] })
    expect((await vote(id, ben)).body).toMatchObject({ status: 'approved' })
  })

  test('409: it allows the action once only', async () => {
    await acme.policy({
      name: 'people',
      effect: 'require_approval',
      approval: { stages: [{ groups: ['any'] }], grant: { max_s: 600, max_uses: 3 } },
    })
    const id = (await acme.held('edit_contact')).approval.id

    expect(await vote(id, puppet, { allow_for_s: 60 })).toMatchObject({ status: 409 })
    expect((await vote(id, puppet)).body.status).toBe('approved')
  })

  test('the page says it before, and the vote after', async () => {
    const browser = new Browser(local.appUrl)
    const page = approvalLink(acme.tenant_id, await asked())
    const place = await browser.press(await browser.open(page), 'password', { email: puppet.email, password: PASSWORD })

    expect(place.text).toContain(`Within 30 days ${acme.owner.email} invited you`)
    expect(place.text).toContain('Nobody else can decide it, so your approval counts.')
    const end = await browser.press(await browser.press(place, 'approve'), 'confirm')
    expect(end.text).toContain(`${puppet.email}: approved, which counts because nobody else could decide`)
  })
})

test('the page of somebody whose approval does not count says so', async () => {
  const puppet = await fresh('approver')
  const browser = new Browser(local.appUrl)
  const page = await browser.open(approvalLink(acme.tenant_id, await asked()))
  const place = await browser.press(page, 'password', { email: puppet.email, password: PASSWORD })

  expect(place.text).toContain('Your approval does not count, because others can decide it. You can reject it.')
})
