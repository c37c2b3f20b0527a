import { describe, expect, test } from 'vitest'
import { recountVotes } from '../../../../shared/govern/approvals/votes/count.ts'
import { type Voter, voteOf } from '../../../../shared/govern/approvals/votes/rules.ts'
import { keyOf, pending, stagesOf, user, vote } from './make.ts'

const people = (...voters: Voter[]) => {
  const byId = new Map(voters.map((voter) => [voter.id, voter]))
  return ({ by }: { by: { id: string } }) => byId.get(by.id)
}
const [anna, ben, cleo] = [user('anna', 'admin'), user('ben', 'admin'), user('cleo', 'admin')]
const two = () => pending({ stages: stagesOf({ groups: ['role:admin'], min_approvals: 2 }) })

describe('votes are counted again', () => {
  test('as they were, while their voters are who they were', () => {
    const once = vote(two(), anna)

    expect(recountVotes(once, people(anna))).toEqual(once)
  })

  test.each<[string, Voter[]]>([
    ['has left', []],
    ['is in no group any more that was asked', [user('anna', 'member')]],
    ['is another kind of voter', [keyOf('anna', 'usr_anna')]],
  ])('without that of somebody who %s', (_, now) => {
    const left = recountVotes(vote(two(), anna), people(...now))

    expect(left.votes).toMatchObject([{ by: { id: 'usr_anna' }, lapsed: true }])
    expect(vote(left, ben)).toMatchObject({ status: 'pending', stages: [{ status: 'open' }] })
    expect(vote(vote(left, ben), cleo)).toMatchObject({ status: 'approved' })
  })

  test('for those groups only to which the voter still belongs, and for no other than before', () => {
    const each = pending({ stages: stagesOf({ groups: ['role:admin', 'role:legal', 'role:sales'], mode: 'each' }) })
    const both = vote(each, user('anna', 'admin', 'legal'))
    const now = recountVotes(both, people(user('anna', 'legal', 'sales')))

    expect(now.votes).toMatchObject([{ groups: ['role:legal'] }])
    expect(now.votes[0]).not.toHaveProperty('lapsed')
  })

  test('and a stage that was complete opens again; once it is complete, the vote for the next one counts', () => {
    const staged = pending({ stages: stagesOf({ groups: ['role:admin'] }, { groups: ['any'] }) })
    const second = recountVotes(vote(staged, anna), people())
    const reopened = vote(second, ben)

    expect(reopened).toMatchObject({ stage: 0, stages: [{ status: 'open' }, { status: 'waiting' }] })
    expect(vote(reopened, cleo)).toMatchObject({ status: 'approved', stage: 1, decided_by: { id: 'usr_cleo' } })
  })

  test('a lapsed vote stays lapsed, and may be given again', () => {
    const left = recountVotes(vote(two(), anna), people())

    expect(recountVotes(left, people(anna)).votes).toMatchObject([{ lapsed: true }])
    expect(voteOf(left, anna)).toBeUndefined()
    expect(vote(vote(left, anna), ben)).toMatchObject({ status: 'approved' })
  })
})
