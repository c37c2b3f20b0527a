// The vote of a delegate counts while the delegation holds and both people may decide, also when that changes at the last moment.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Away, away, inNameOf } from '../../support/away.ts'
import { bodyOf } from '../../support/governed.ts'
import { heldCommit } from '../../support/held-commit.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const { plugin, hold } = heldCommit()
const local = useLocalStack({ plugins: [plugin] })
let at: Away
beforeEach(async () => {
  at = await away(local)
})

describe('an earlier vote in the name of another does not count any more', () => {
  const endings: [string, (made: { id: string }) => Promise<unknown>][] = [
    ['the delegation was ended', (made) => at.end(at.ada, made)],
    ['its time is over', async () => local.clock.moveTo(local.clock.now() + 3_600_000)],
    ['its giver is suspended', () => at.setStatus(at.ada, 'suspended')],
    ['its giver is removed', () => at.remove(at.ada)],
    ['its giver lost the role that was asked', () => at.setRoles(at.ada, ['admin'])],
    ['its giver may no longer decide', () => at.setRoles(at.ada, ['member'])],
    ['the delegate is suspended', () => at.setStatus(at.ben, 'suspended')],
    ['the delegate may no longer decide', () => at.setRoles(at.ben, ['member'])],
  ]

  test.each(endings)('when %s', async (_, happen) => {
    const { person, ada, ben, asksApprovers, asked, approve, inDays, delegate, again } = at
    await asksApprovers(2)
    const [cleo, dan] = [await person('approver'), await person('approver')]
    const made = await delegate(ada, ben, { until: inDays(1 / 24) })
    const id = await asked()
    expect(bodyOf(await approve(id, ben), 200).status).toBe('pending')
    await happen(made)

    const counted = bodyOf(await approve(id, await again(cleo)), 200)
    expect(counted).toMatchObject({ status: 'pending', votes: [{ lapsed: true }, {}] })
    expect(bodyOf(await approve(id, await again(dan)), 200).status).toBe('approved')
  })

  test('so who was voted for is free to vote', async () => {
    const { acme, ada, ben, asksApprovers, asked, approve, delegate, end } = at
    await asksApprovers(2)
    const made = await delegate(ada, ben)
    const [id, other] = [await asked(), await asked()]
    for (const one of [id, other]) expect(bodyOf(await approve(one, ben), 200).status).toBe('pending')
    await end(ada, made)

    expect(bodyOf(await approve(id, ada), 200)).toMatchObject({ status: 'pending', votes: [{ lapsed: true }, {}] })
    expect((await acme.reject(other, {}, { key: ada.access_token })).body.status).toBe('rejected')
  })
})

describe('a vote in the name of another is not stored', () => {
  const KINDS = [
    ['a deciding vote', 1, 'approve'],
    ['a vote that does not decide', 2, 'approve'],
    ['a rejection', 1, 'reject'],
  ] as const
  const changes: [string, (made: { id: string }) => Promise<unknown>][] = [
    ['ended', (made) => at.end(at.ada, made)],
    ['void, as its giver is suspended,', () => at.setStatus(at.ada, 'suspended')],
  ]

  test.each(KINDS.flatMap((kind) => changes.map((change) => [...kind, ...change] as const)))(
    '%s (of %i, %s): the delegation is %s between its reads and its commit',
    async (_, quorum, decision, __, happen) => {
      const { acme, ada, ben, asksApprovers, asked, delegate } = at
      await asksApprovers(quorum)
      const made = await delegate(ada, ben)
      const id = await asked()

      const arrived = hold(id)
      const voting = acme[decision](id, inNameOf(ada), { key: ben.access_token })
      const letGo = await arrived
      await happen(made)
      letGo()

      expect(await voting).toMatchObject({ status: 403 })
      expect(await acme.approval(id)).toMatchObject({ status: 'pending', votes: [] })
    },
  )
})

test('a grant that a delegate gave ends with the delegation', async () => {
  const { acme, ada, ben, approve, delegate, end } = at
  await acme.policy({
    name: 'ask approvers about updates',
    effect: 'require_approval',
    scope: { action_kinds: ['update'] },
    approval: { stages: [{ groups: ['role:approver'] }], grant: { max_s: 3_600, max_uses: 9 } },
  })
  const made = await delegate(ada, ben)
  const { approval } = await acme.held('update_contact')
  bodyOf(await approve(approval.id, ben, { allow_for_s: 3_600 }), 200)

  expect((await acme.execute('update_contact')).status).toBe(200)
  await end(ada, made)
  expect((await acme.execute('update_contact')).status).toBe(202)
})
