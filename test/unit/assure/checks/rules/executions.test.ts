import { describe, expect, test } from 'vitest'
import {
  type ApprovalFacts,
  EXECUTION_RULES,
  type ExecutionFacts,
  type GrantFacts,
} from '../../../../../shared/assure/checks/rules/executions.ts'
import type { Stage, Vote } from '../../../../../shared/govern/approvals/approval.ts'
import { iso } from '../../../../../shared/base/lib/clock.ts'
import { EXECUTION_STATUSES } from '../../../../../shared/govern/executions/states.ts'
import { stagesOf } from '../../../govern/approvals/make.ts'
import { approvedAt, executionAt, idAt } from '../../space.ts'

const AT = Date.parse('2026-11-20T10:00:00.000Z')

const voteOf = (id: string, over: Partial<Vote> = {}): Vote => ({
  by: { type: 'user', id },
  persons: [id],
  groups: ['any'],
  decision: 'approve',
  at: iso(AT),
  stage: 0,
  ...over,
})

/** A HARD action that ran under its approval. */
function held(approval: Partial<ApprovalFacts> = {}, over: Partial<ExecutionFacts> = {}): ExecutionFacts {
  const made = approvedAt(AT)
  return {
    execution: made.execution,
    tier: 'HARD',
    signals: ['verb'],
    approval: { ...made.approval, ...approval },
    undone: undefined,
    known: true,
    external: false,
    ...over,
  }
}

const voted = (votes: Vote[], stages: Stage[] = stagesOf({ groups: ['any'] })) => held({ votes, stages })
const both = (facts: ExecutionFacts) => [EXECUTION_RULES['GOV-01'](facts), EXECUTION_RULES['GOV-02'](facts)]

describe('GOV-01', () => {
  const rule = EXECUTION_RULES['GOV-01']

  test.each<[string, ExecutionFacts, boolean]>([
    ['somebody else approved', voted([voteOf('usr_other')]), true],
    ['whoever asked approved', voted([voteOf('usr_maker')]), false],
    ['somebody behind the request approved', voted([voteOf('usr_a', { persons: ['usr_a', 'usr_maker'] })]), false],
    ['the vote says that it is of whoever asked', voted([voteOf('usr_other', { self: true })]), false],
    ['a key voted', voted([voteOf('key_1', { by: { type: 'api_key', id: 'key_1' } })]), false],
    ['the vote has lapsed', voted([voteOf('usr_other', { lapsed: true })]), false],
    ['the vote is a no', voted([voteOf('usr_other', { decision: 'reject' })]), false],
    [
      'two were needed and one of them asked',
      voted([voteOf('usr_maker'), voteOf('usr_b')], stagesOf({ groups: ['any'], min_approvals: 2 })),
      false,
    ],
    [
      'two were needed and one voted twice',
      voted([voteOf('usr_b'), voteOf('usr_b')], stagesOf({ groups: ['any'], min_approvals: 2 })),
      false,
    ],
    [
      'two were needed and one voted, also in the name of the other',
      voted(
        [voteOf('usr_a'), voteOf('usr_b', { persons: ['usr_b', 'usr_a'], on_behalf_of: 'usr_a' })],
        stagesOf({ groups: ['any'], min_approvals: 2 }),
      ),
      false,
    ],
    [
      'two were needed and a delegate voted for one of them',
      voted(
        [voteOf('usr_a'), voteOf('usr_b', { persons: ['usr_b', 'usr_c'], on_behalf_of: 'usr_c' })],
        stagesOf({ groups: ['any'], min_approvals: 2 }),
      ),
      true,
    ],
    [
      'two were needed and there',
      voted([voteOf('usr_a'), voteOf('usr_b')], stagesOf({ groups: ['any'], min_approvals: 2 })),
      true,
    ],
    [
      'each of two groups agreed',
      voted(
        [voteOf('usr_a', { groups: ['role:owner'] }), voteOf('usr_b', { groups: ['role:admin'] })],
        stagesOf({ groups: ['role:owner', 'role:admin'], mode: 'each' }),
      ),
      true,
    ],
    [
      'one of two groups did not',
      voted(
        [voteOf('usr_a', { groups: ['role:owner'] })],
        stagesOf({ groups: ['role:owner', 'role:admin'], mode: 'each' }),
      ),
      false,
    ],
    ['a stage has no vote', voted([voteOf('usr_a')], stagesOf({ groups: ['any'] }, { groups: ['any'] })), false],
    [
      'every stage has its vote',
      voted([voteOf('usr_a'), voteOf('usr_b', { stage: 1 })], stagesOf({ groups: ['any'] }, { groups: ['any'] })),
      true,
    ],
    ['the approval is not there', held({}, { approval: undefined }), false],
    ['the approval has no stages', held({ stages: [] }), false],
    ['the approval was not given', held({ status: 'pending' }), false],
  ])('where %s', (_, facts, holds) => {
    expect(rule(facts)).toBe(holds)
  })

  test('asks what ran, and of that only HARD actions', () => {
    const asked = EXECUTION_STATUSES.filter((status) => {
      const facts = held()
      return rule({ ...facts, execution: { ...facts.execution, status } }) !== undefined
    })

    expect(asked).toEqual(['executing', 'executed', 'failed', 'outcome_unknown', 'undone'])
    expect(both(held({}, { tier: 'SOFT' }))).toEqual([undefined, undefined])
  })
})

describe('GOV-02', () => {
  const rule = EXECUTION_RULES['GOV-02']

  test.each<[string, ExecutionFacts, boolean]>([
    ['all is as it should be', held(), true],
    ['the approval is of another action', held({ action_digest: 'sha256:0' }), false],
    ['the approval is of another execution', held({ request_id: 'exe_other' }), false],
    ['it was approved after it ran', held({ decided_at: iso(AT + 3_600_000) }), false],
    ['nobody says when it was approved', held({ decided_at: undefined }), false],
    ['the approval was never used', held({ consumed_at: undefined }), false],
    ['the approval was withdrawn', held({ status: 'cancelled' }), false],
    ['there is no approval', held({}, { approval: undefined }), false],
  ])('where %s', (_, facts, holds) => {
    expect(rule(facts)).toBe(holds)
  })

  test('compares with the use of the approval while nobody knows when it ran', () => {
    const facts = held()
    const executing = {
      ...facts,
      execution: { ...facts.execution, status: 'executing' as const, executed_at: undefined },
    }

    expect(rule(executing)).toBe(true)
  })
})

describe('the exact inverse of an action', () => {
  const first = executionAt(AT)
  const undo = (at: number, over: Partial<ExecutionFacts> = {}): ExecutionFacts => {
    const id = idAt(at)
    const execution = executionAt(at, { id, undo_of: first.id })
    const undone = {
      id: first.id,
      undo_until: iso(AT + 30_000),
      undo: { state: 'done' as const, request_id: id, by: 'usr_maker', at: iso(at) },
    }
    return { ...held(), execution, approval: undefined, signals: ['verb', 'exact_inverse'], undone, ...over }
  }

  test('needs no approval within the undo window of that action', () => {
    expect(both(undo(AT + 20_000))).toEqual([true, true])
  })

  test.each<[string, ExecutionFacts]>([
    ['the window had ended', undo(AT + 31_000)],
    ['what it undoes is not there', undo(AT + 1_000, { undone: undefined })],
    ['what it undoes names another undo', undo(AT + 1_000, { undone: undo(AT).undone })],
    ['nobody called it an exact inverse', undo(AT + 1_000, { signals: ['verb'] })],
  ])('does where %s', (_, facts) => {
    expect(both(facts)).toEqual([false, false])
  })
})

describe('an action under a grant', () => {
  const grant = (over: Partial<GrantFacts> = {}): ExecutionFacts => {
    const { approval } = held()
    const given = {
      approval,
      uses: 1,
      used: true,
      max_uses: 5,
      expires_at: iso(AT + 60_000),
      revoked_at: undefined,
      ...over,
    }
    return held({}, { approval: undefined, grant: given })
  }

  test('rests on the approval of the grant', () => {
    expect(both(grant())).toEqual([true, true])
    expect(both(grant({ approval: held({ votes: [voteOf('usr_maker')] }).approval }))).toEqual([false, true])
    expect(both(grant({ approval: undefined }))).toEqual([false, false])
  })

  test.each<[string, Partial<GrantFacts>]>([
    ['had ended', { expires_at: iso(AT - 1) }],
    ['was revoked', { revoked_at: iso(AT - 1) }],
    ['was used too often', { uses: 6 }],
    ['does not have it among its uses', { used: false }],
  ])('does not rest on one that %s', (_, over) => {
    expect(EXECUTION_RULES['GOV-02'](grant(over))).toBe(false)
  })
})

describe('PRV-02', () => {
  const rule = EXECUTION_RULES['PRV-02']

  test('asks what took personal data out of the tenant and ran', () => {
    expect(rule(held())).toBeUndefined()
    expect(rule(held({}, { external: true }))).toBe(true)
    expect(rule(held({ status: 'rejected' }, { external: true }))).toBe(false)
    expect(rule(held({}, { external: true, approval: undefined, tier: 'AUTO' }))).toBe(false)
    const { execution } = held()
    expect(rule(held({}, { external: true, execution: { ...execution, status: 'rejected' } }))).toBeUndefined()
  })
})
