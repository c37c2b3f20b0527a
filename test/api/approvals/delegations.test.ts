// Somebody who is away lets another person vote in their name, for a while.
import { beforeEach, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { type Away, away } from '../../support/away.ts'
import { bodyOf } from '../../support/governed.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { type SignedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let at: Away
beforeEach(async () => {
  at = await away(local)
})

describe('a delegation', () => {
  test('is shown to both, who are told, and stands in the evidence', async () => {
    const { owner, ada, ben, headerOf, delegate } = at
    const made = await delegate(ada, ben, { node_ids: ['crm.contacts.editor'], reason: 'holidays' })

    expect(made).toMatchObject({ from_user_id: ada.user_id, to_user_id: ben.user_id, status: 'active' })
    expect(await headerOf(made.evidence_artifact_id)).toMatchObject({
      type: 'delegation.created',
      actor: { kind: 'user', id: ada.user_id },
      data: { to_user_id: ben.user_id, until: made.until, node_ids: ['crm.contacts.editor'] },
    })
    const listed = async (by: SignedIn, role?: string) =>
      bodyOf(await by.call(approvals.listDelegations, { query: role ? { role } : {} }), 200).items
    expect(await listed(ada, 'given')).toEqual([made])
    expect(await listed(ada, 'received')).toEqual([])
    expect(await listed(ben, 'received')).toEqual([made])
    expect(await listed(owner)).toEqual([made])
    expect(bodyOf(await ben.call(approvals.getDelegation, { params: { id: made.id } }), 200)).toEqual(made)
    await local.drain()
    for (const { email } of [ada, ben])
      expect((await mailsTo(local, email)).map(({ subject }) => subject)).toContain('Approvals were delegated')
  })

  test('is scheduled, active and ended by its times, which are checked', async () => {
    const { acme, ada, ben, inDays, create, delegate, again } = at
    const made = await delegate(ada, ben, { from_at: inDays(1), until: inDays(2) })
    const status = async () => bodyOf(await acme.call(approvals.getDelegation, { params: { id: made.id } }), 200).status
    expect(await status()).toBe('scheduled')
    local.clock.moveTo(Date.parse(made.from_at))
    expect(await status()).toBe('active')
    local.clock.moveTo(Date.parse(made.until))
    expect(await status()).toBe('ended')

    const back = await again(ada)
    expect((await create(back, ben, { from_at: inDays(0), until: inDays(31) })).status).toBe(422)
    expect((await create(back, ben, { from_at: inDays(-1) })).status).toBe(422)
  })

  test('is for somebody else of the tenant who may decide, at registered nodes, and not twice at a time', async () => {
    const { person, ada, ben, inDays, create, delegate } = at
    const member = await person('member')
    const stranger = await signIn(local, (await local.tenant()).owner)
    for (const to of [ada, member, stranger]) expect((await create(ada, to)).status).toBe(422)
    expect((await create(ada, ben, { node_ids: ['crm.unknown.node'] })).status).toBe(422)
    await delegate(ada, ben)
    expect((await create(ada, ben, { from_at: inDays(6), until: inDays(9) })).status).toBe(409)
    await delegate(ada, ben, { from_at: inDays(7), until: inDays(9) })
  })

  test('is one of ten at most, also when they are made at once', async () => {
    const { ada, ben, inDays, create, delegate } = at
    const window = (n: number) => ({ from_at: inDays(n), until: inDays(n + 1) })
    for (let n = 1; n <= 9; n += 1) await delegate(ada, ben, window(n))
    const two = await Promise.all([create(ada, ben, window(11)), create(ada, ben, window(12))])
    expect(two.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  })

  test('is given by a person, never by a key', async () => {
    const { acme, person, ben, inDays } = at
    const body = { name: 'k', kind: 'live', scopes: ['governance:read', 'governance:write'] }
    const { key } = bodyOf(await (await person('admin')).call(keys.create, { body }), 201)
    const made = await acme.call(approvals.createDelegation, {
      key,
      body: { to_user_id: ben.user_id, until: inDays(1) },
    })
    expect(made.status).toBe(403)
  })

  test('is ended by its giver or an administrator, once, and both are told', async () => {
    const { owner, person, ada, ben, delegate, end } = at
    const made = await delegate(ada, ben)
    const cleo = await person('approver')
    expect((await end(cleo, made)).status).toBe(403)
    expect(bodyOf(await end(ada, made), 200)).toMatchObject({ status: 'ended', ended_by: { id: ada.user_id } })
    const again = bodyOf(await end(owner, made), 200)
    expect(again).toMatchObject({ ended_by: { id: ada.user_id } })
    await local.drain()
    expect((await mailsTo(local, ben.email)).map(({ subject }) => subject)).toContain(
      'A delegation of approvals has ended',
    )
    expect(bodyOf(await end(owner, await delegate(ada, ben)), 200).status).toBe('ended')
  })

  test('has ended while one of the two may not decide', async () => {
    const { owner, ada, ben, setStatus, setRoles, delegate } = at
    const { id } = await delegate(ada, ben)
    const status = async () => bodyOf(await owner.call(approvals.getDelegation, { params: { id } }), 200).status
    await setStatus(ada, 'suspended')
    expect(await status()).toBe('ended')
    await setStatus(ada, 'active')
    expect(await status()).toBe('active')
    await setRoles(ben, ['member'])
    expect(await status()).toBe('ended')
  })
})
