import { describe, expect, test } from 'vitest'
import { missingOf, missingOfDecision } from '../../../../shared/govern/completeness/gaps.ts'
import { EXECUTION_STATUSES } from '../../../../shared/govern/executions/states.ts'

const NOW = Date.parse('2026-11-20T10:10:00.000Z')
const at = '2026-11-20T10:00:00.000Z'
const ah = Buffer.alloc(32, 1)
const hash = `sha256:${ah.toString('hex')}`
const reference = (type: string, over: object = {}) => ({ artifact_id: `art_${type}`, type, hash, at, ...over })
const all = (...types: string[]) => new Map(types.map((type) => [`art_${type}`, { ah, seq: 1 }]))

const executed = { status: 'executed' as const, artifacts: [reference('protocol.executed')] }

test('an execution whose artifacts all stand in the chain lacks nothing', () => {
  expect(missingOf(executed, all('protocol.executed'), NOW)).toBe(0)
})

describe('an artifact is missing', () => {
  test.each([
    ['when it is gone', new Map()],
    ['when it is another one', new Map([['art_protocol.executed', { ah: Buffer.alloc(32), seq: 1 }]])],
    ['when it has no position after five minutes', new Map([['art_protocol.executed', { ah }]])],
  ])('%s', (_, found) => {
    expect(missingOf(executed, found, NOW)).toBe(1)
  })

  test('not while it is younger than that', () => {
    const young = { ...executed, artifacts: [reference('protocol.executed', { at: '2026-11-20T10:05:00.001Z' })] }

    expect(missingOf(young, new Map([['art_protocol.executed', { ah }]]), NOW)).toBe(0)
  })
})

test.each(EXECUTION_STATUSES)('the state %s is not proven by an artifact of something else', (status) => {
  const artifacts = [reference('approval.voted')]

  expect(missingOf({ status, artifacts }, all('approval.voted'), NOW)).toBe(1)
})

test('an approval that was withdrawn proves that its action was rejected', () => {
  const rejected = { status: 'rejected' as const, artifacts: [reference('approval.cancelled')] }

  expect(missingOf(rejected, all('approval.cancelled'), NOW)).toBe(0)
})

test.each(['approved', 'rejected', 'expired', 'cancelled'] as const)(
  'an approval that was %s needs the artifact of the decision on its execution',
  (status) => {
    expect(missingOfDecision(status, { artifacts: [reference(`approval.${status}`)] })).toBe(0)
    expect(missingOfDecision(status, { artifacts: [reference('action.requested')] })).toBe(1)
    expect(missingOfDecision(status, undefined)).toBe(1)
  },
)
