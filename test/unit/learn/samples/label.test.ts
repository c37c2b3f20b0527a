import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EXECUTION_STATUSES } from '../../../../shared/govern/executions/states.ts'
import { labelOf } from '../../../../shared/learn/samples/label.ts'
import { approval, AT, caseOf, execution, held, vote } from './make.ts'

const rejected = execution({ status: 'rejected', held })
const refusal = (policy_id: string, field: string, change = {}) =>
  execution({
    status: 'rejected',
    rejection: { policy_id, detail: '' },
    evaluations: JSON.stringify([
      { policy_id, result: 'forbid', why: [{ field, op: 'eq', outcome: 'true' }] },
      'pol_other',
    ]),
    ...change,
  })
const undo = (by: string) => execution({ status: 'undone', undo: { state: 'done', by, at: AT } })
const no = approval({ status: 'rejected', votes: [vote({ decision: 'reject' })] })

describe('an execution', () => {
  test.each([
    ['that a person approved with a reason', execution({ held }), approval({ reason: 'ok' }), 'chosen', 1, 'human'],
    ['that a person approved', execution({ held }), approval(), 'chosen', 0.9, 'human'],
    [
      'that a person approved with a blank reason',
      execution({ held }),
      approval({ reason: ' ' }),
      'chosen',
      0.9,
      'human',
    ],
    ['that a key approved', execution({ held }), approval({ method: 'api_key' }), 'chosen', 0.8, 'key'],
    ['that a person rejected with a reason', rejected, { ...no, reason: 'no' }, 'rejected', 1, 'human'],
    ['that a person rejected', rejected, no, 'rejected', 0.9, 'human'],
    ['that a key rejected', rejected, { ...no, method: 'api_key' as const }, 'rejected', 0.8, 'key'],
    ['that a policy refused for its payload', refusal('pol_1', 'payload.amount'), undefined, 'rejected', 0.8, 'policy'],
    ['that a policy refused for a signal', refusal('pol_1', 'signals.amount'), undefined, 'rejected', 0.8, 'policy'],
    ['that a policy refused for its context', refusal('pol_1', 'context.ticket'), undefined, 'rejected', 0.8, 'policy'],
    ['that ran as SOFT', execution({ undo_until: AT }), undefined, 'chosen', 0.65, 'presumed'],
    ['that ran as AUTO', execution({}, 'AUTO', 1), undefined, 'chosen', 0.8, 'presumed'],
    ['that a person undid', undo('ben'), undefined, 'rejected', 0.9, 'undo'],
    ['that a key undid', undo('key_01JD3Q8Z5N2C4E6G8J0M2P4R0A'), undefined, 'rejected', 0.8, 'undo'],
  ] as const)('%s is a sample', (_, of, decided, side, confidence, source) => {
    expect(labelOf(caseOf(of, decided))).toEqual({ side, confidence, source, decided_at: AT })
  })

  test.each([
    ['that a policy refused for its agent', refusal('pol_1', 'agent.id')],
    ['that was frozen', refusal('freeze', 'payload.amount')],
    ['that its persona refused', refusal('persona:support', 'payload.amount')],
    ['with forbidden personal data', refusal('pii', 'payload.note')],
    ['of a flood', refusal('approval_flood', 'payload.amount')],
    ['whose manifest changed', refusal('manifest', 'payload.amount')],
    ['whose binding broke', refusal('binding', 'payload.amount')],
    ['that undoes another one', execution({ undo_of: 'exe_1' })],
    ['with a forced outcome', execution({ sandbox: { outcome: 'success' } })],
    ['that can still be undone', execution({ undo_until: '2027-01-01T00:00:00.000Z' })],
    ['whose undo waits', execution({ undo: { state: 'held', by: 'ben', at: AT } })],
    ['that ran as HARD without a vote', execution({}, 'HARD')],
  ])('%s is no sample', (_, of) => {
    expect(labelOf(caseOf(of))).toBeUndefined()
  })

  test('that its own requester took back is no sample', () => {
    const self = approval({ status: 'rejected', votes: [vote({ decision: 'reject', self: true })] })
    expect(labelOf(caseOf(rejected, self))).toBeUndefined()
  })

  test('that expired or was cancelled while it was held is no sample', () => {
    for (const method of ['expired', 'cancelled', 'policy'] as const)
      expect(labelOf(caseOf(rejected, { ...no, method }))).toBeUndefined()
  })

  test.each(EXECUTION_STATUSES)('with the status %s has a label or none', (status) => {
    const says = ['executed', 'undone', 'rejected']
    const of = execution({ status, undo: { state: 'done', by: 'ben', at: AT } })
    if (!says.includes(status)) expect(labelOf(caseOf(of))).toBeUndefined()
    else expect(() => labelOf(caseOf(of))).not.toThrow()
  })
})

describe('a hasty yes', () => {
  test('has at most 0.6, with a reason as well', () => {
    for (const reason of ['ok', ''])
      expect(labelOf(caseOf(execution({ held }), approval({ reason }), 2.9))).toMatchObject({
        confidence: 0.6,
        rushed: true,
      })
    expect(labelOf(caseOf(execution({ held }), approval(), 3))).toMatchObject({ confidence: 0.9 })
  })

  test('counts fully when one of the votes was careful, and its voter had not asked for it', () => {
    const votes = [vote(), vote({ by: { type: 'user', id: 'cyd' } })]
    const of = caseOf(execution({ held }), approval({ votes }))
    const attention = ({ by }: { by: { id: string } }) => (by.id === 'cyd' ? 60 : 0)

    expect(labelOf({ ...of, attention })).toMatchObject({ confidence: 0.9 })
    const own = votes.map((one) => ({ ...one, self: true as const }))
    expect(labelOf({ ...of, attention, approval: approval({ votes: own }) })).toMatchObject({ confidence: 0.6 })
  })

  test('never weakens a no', () => {
    expect(labelOf(caseOf(rejected, no, 0))).toMatchObject({ side: 'rejected', confidence: 0.9 })
  })
})

test('nothing that a requester writes turns a rejected action into a chosen one', () => {
  const texts = fc.record({
    context: fc.string(),
    agent_id: fc.string(),
    payload_commitment: fc.string(),
    subject_ref: fc.string(),
    correlation_id: fc.string(),
  })
  fc.assert(
    fc.property(texts, fc.constantFrom(rejected, refusal('pol_1', 'payload.a'), undo('ben')), (written, of) => {
      expect(labelOf(caseOf({ ...of, ...written }, of === rejected ? no : undefined))?.side).toBe('rejected')
    }),
  )
})
