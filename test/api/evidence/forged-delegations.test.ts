// What somebody with access to the table makes delegations say: it gives nobody a vote, not even with the secret of the deployment, and
// is found.
import { beforeEach, describe, expect, test } from 'vitest'
import { evidence } from '../../../functions/evidence/routes.ts'
import { approvals as stored } from '../../../shared/govern/approvals/approval.ts'
import { type Delegation, delegations, findDelegation } from '../../../shared/govern/delegations/delegation.ts'
import { type Away, away, inNameOf } from '../../support/away.ts'
import { newDelegationOf } from '../../support/delegation.ts'
import { bodyOf } from '../../support/governed.ts'
import { alarms, steal, tamper } from '../../support/insider.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let at: Away
beforeEach(async () => {
  at = await away(local)
})

describe('who writes to the table gives nobody a vote', () => {
  const forge = async (id: string, change: object) => {
    const { ctx } = at.acme
    const { _v, ...was } = await findDelegation(ctx, id)
    await ctx.table.commit([delegations.replace({ ...was, ...change }, { _v })])
  }

  test('by a delegation that nobody gave', async () => {
    const { acme, person, ada, ben, asksApprovers, asked, approve, delegate } = at
    await asksApprovers()
    const id = await asked()
    const cleo = await person('approver')
    const { id: genuine } = await delegate(cleo, ada)
    const { _v, ...row } = await findDelegation(acme.ctx, genuine)
    const made = { ...row, id: acme.ctx.id('dlg'), from_user_id: ada.user_id, to_user_id: ben.user_id }
    await acme.ctx.table.commit([delegations.insert(made)])

    expect((await approve(id, ben)).status).toBe(403)
    expect((await approve(id, ben, inNameOf(ada))).status).toBe(403)
    await acme.ctx.table.commit([delegations.insert({ ...made, id: acme.ctx.id('dlg'), artifact_id: 'art_none' })])
    expect((await approve(id, ben, inNameOf(ada))).status).toBe(403)
  })

  test('by changing one that somebody gave', async () => {
    const { person, ada, ben, asksApprovers, asked, approve, inDays, delegate } = at
    await asksApprovers()
    const id = await asked()
    const cleo = await person('admin')
    const made = await delegate(ada, ben, { from_at: inDays(1) })
    await forge(made.id, { from_at: inDays(0) })
    expect((await approve(id, ben)).status).toBe(403)
    await forge(made.id, { to_user_id: cleo.user_id })
    expect((await approve(id, cleo)).status).toBe(403)
  })

  test('by taking back that one has ended', async () => {
    const { acme, ada, ben, asksApprovers, asked, approve, delegate, end } = at
    await asksApprovers()
    const id = await asked()
    const made = await delegate(ada, ben)
    const place = delegations.key(await findDelegation(acme.ctx, made.id))
    const { gsi3pk, gsi3sk } = await steal(place)
    await end(ada, made)
    const nothing = { ended_at: undefined, ended_by: undefined, end_artifact_id: undefined }
    await tamper(place, { ...nothing, gsi3pk, gsi3sk })
    const raised = alarms()
    expect((await approve(id, ben)).status).toBe(403)
    expect((await approve(id, ben, inNameOf(ada))).status).toBe(403)
    expect(raised).toContain('row_forged')
  })

  test('by stating that a vote was in the name of another', async () => {
    const { acme, person, ada, ben, asks, asked, approve, delegate } = at
    await asks({ groups: ['role:approver', 'role:admin'], mode: 'each' })
    const made = await delegate(ada, ben)
    const id = await asked()
    expect(bodyOf(await approve(id, ben), 200).status).toBe('pending')
    const row = await acme.ctx.table.get(stored, { ...acme.ctx.space, id })
    if (!row) throw new Error('there is no approval')
    const votes = row.votes.map((vote) => ({
      ...vote,
      persons: [ben.user_id, ada.user_id],
      groups: ['role:approver'],
      on_behalf_of: ada.user_id,
      delegation_id: made.id,
    }))
    await acme.ctx.table.commit([stored.replace({ ...row, votes }, row)])
    const voted = bodyOf(await approve(id, await person('admin')), 200)
    expect(voted).toMatchObject({ status: 'pending', votes: [{ lapsed: true }, {}] })
  })
})

describe('the check of completeness finds', () => {
  const passed = async () => {
    await local.drain()
    await at.acme.call(evidence.verify, { query: { full: true } })
    await local.drain()
    return bodyOf(await at.acme.call(evidence.verify), 200).verification.completeness
  }
  const row = (id: string) => findDelegation(at.acme.ctx, id)
  const change = async (id: string, changes: Partial<Delegation>) => {
    const was = await row(id)
    await at.acme.ctx.table.commit([delegations.replace({ ...was, ...changes }, was)])
  }

  test('nothing where delegations were made and ended by the service', async () => {
    const { ada, ben, delegate, end } = at
    await end(ada, await delegate(ada, ben))
    await delegate(ada, ben)
    expect(await passed()).toMatchObject({ result: 'complete' })
  })

  test('a delegation that nobody made', async () => {
    const { acme, ada, ben } = at
    const made = newDelegationOf(acme.ctx, { from_user_id: ada.user_id, to_user_id: ben.user_id })
    await acme.ctx.table.commit([delegations.insert(made)])
    expect(await passed()).toMatchObject({ result: 'gaps', missing: 1, examples: [made.id] })
  })

  test('another delegate', async () => {
    const { ada, ben, owner, delegate } = at
    const { id } = await delegate(ada, ben)
    await change(id, { to_user_id: owner.user_id })
    expect(await passed()).toMatchObject({ result: 'gaps', contradicted: 2, examples: [id, id] })
  })

  test('an end that was taken back', async () => {
    const { ada, ben, delegate, end } = at
    const made = await delegate(ada, ben)
    await end(ada, made)
    await change(made.id, { ended_at: undefined, ended_by: undefined, end_artifact_id: undefined })
    expect(await passed()).toMatchObject({ result: 'gaps', contradicted: 1, examples: [made.id] })
  })

  test('an end that nobody stated', async () => {
    const { ada, ben, delegate } = at
    const { id } = await delegate(ada, ben)
    const ended_by = { type: 'user', id: ada.user_id } as const
    await change(id, { ended_at: new Date(local.clock.now()).toISOString(), ended_by })
    expect(await passed()).toMatchObject({ result: 'gaps', contradicted: 1, examples: [id] })
  })

  test('a delegation that is gone', async () => {
    const { acme, ada, ben, delegate } = at
    const { id } = await delegate(ada, ben)
    await acme.ctx.table.commit([delegations.remove(await row(id))])
    expect(await passed()).toMatchObject({ result: 'gaps', missing: 1, examples: [id] })
  })
})
