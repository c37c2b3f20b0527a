// Votes of people behind whom a requester stands: they count only where nobody else could decide.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Approval } from '../../../../shared/govern/approvals/approval.ts'
import { afterVote, recountVotes } from '../../../../shared/govern/approvals/votes/count.ts'
import { couldDecide } from '../../../../shared/govern/approvals/votes/voters.ts'
import { isDependent, refusalOf, type Voter } from '../../../../shared/govern/approvals/votes/rules.ts'
import { votesData } from '../../../../shared/govern/approvals/end.ts'
import { runs } from '../../../support/runs.ts'
import { BEFORE, keyOf, pending, stagesOf, STRICT, user, vote } from './make.ts'

const raised = (voter: Voter, ...raised_by: string[]): Voter => ({ ...voter, raised_by })
const alone = (voter: Voter): Voter => ({ ...voter, alone: true })
const ben = raised(user('ben', 'admin'), 'usr_maker')

describe('an approval of somebody behind whom a requester stands', () => {
  test('403: does not count', () => {
    for (const voter of [ben, raised(keyOf('ben'), 'usr_other', 'usr_maker')]) {
      expect(() => vote(pending(), voter)).toThrow(expect.objectContaining({ status: 403 }))
      expect(refusalOf(pending(), voter, STRICT, 'approve')).toMatch(
        /^You cannot approve this: somebody who could have/,
      )
    }
  })

  test('counts for the requests of others, and rejects any', () => {
    expect(vote(pending({ persons: ['usr_other'] }), ben).votes[0]).not.toHaveProperty('raised_by')
    expect(vote(pending(), ben, 'reject').status).toBe('rejected')
  })

  test('counts where nobody else could decide, and names the requesters on whom it depends', () => {
    const { votes, status } = vote(pending({ persons: ['usr_maker', 'usr_two'] }), alone(ben))

    expect(status).toBe('approved')
    expect(votes).toMatchObject([{ by: { id: 'usr_ben' }, raised_by: ['usr_maker'] }])
    expect(votesData({ ...pending(), votes })).toEqual({
      data: { raised_votes: [{ id: 'usr_ben', raised_by: ['usr_maker'] }] },
    })
  })

  test('lapses when somebody else can decide by now, and is marked when nobody can', () => {
    const two = pending({ stages: stagesOf({ groups: ['any'], min_approvals: 2 }) })
    const before = vote(two, user('ben', 'admin'))

    expect(recountVotes(before, () => ben).votes).toMatchObject([{ lapsed: true }])
    expect(recountVotes(before, () => alone(ben)).votes).toMatchObject([{ raised_by: ['usr_maker'] }])
  })
})

const names = ['ada', 'ben', 'cleo', 'dan', 'eve']
const someone = fc.record({
  name: fc.constantFrom(...names),
  roles: fc.subarray(['approver', 'finance']),
  raised_by: fc.subarray(['usr_maker', 'usr_two', 'usr_other']),
})
const people = fc
  .uniqueArray(someone, { selector: ({ name }) => name, minLength: 1 })
  .map((all) => all.map(({ name, roles, raised_by }) => raised(user(name, ...roles), ...raised_by)))
const stage = fc.record({
  groups: fc.uniqueArray(fc.constantFrom('any', 'role:approver', 'role:finance', 'user:usr_ada'), { minLength: 1 }),
  min_approvals: fc.integer({ min: 1, max: 3 }),
})

test('never decides while somebody independent could, for all stages, people and orders of votes', () => {
  fc.assert(
    fc.property(people, fc.array(stage, { minLength: 1, maxLength: 2 }), fc.array(fc.nat(4)), (all, stages, order) => {
      let held: Approval = pending({ persons: ['usr_maker', 'usr_two'], stages: stagesOf(...stages) })
      for (const index of order) {
        const voter = all[index % all.length]
        if (!voter || held.status !== 'pending') continue
        const others = all.some((one) => couldDecide(held, one))
        const now = isDependent(held, voter) && !others ? alone(voter) : voter
        if (refusalOf(held, now, STRICT, 'approve') !== undefined) continue
        const next = afterVote(held, now, { decision: 'approve', at: BEFORE })
        const given = next.votes.at(-1)
        const stands = voter.raised_by?.some((by) => held.persons.includes(by)) === true
        expect(given?.raised_by !== undefined).toBe(stands)
        if (stands) expect(all.filter((one) => couldDecide(held, one))).toEqual([])
        held = next
      }
    }),
    runs(300),
  )
})
