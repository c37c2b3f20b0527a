import { describe, expect, test } from 'vitest'
import { packEvaluations, unpackEvaluations } from '../../../../shared/govern/executions/evaluations.ts'
import type { Execution } from '../../../../shared/govern/executions/execution.ts'
import { monthsBack } from '../../../../shared/base/lib/days.ts'
import {
  ExecutionView,
  executionView,
  firstExecutionView,
} from '../../../../shared/govern/executions/execution-view.ts'
import { EXECUTION_STATUSES } from '../../../../shared/govern/executions/states.ts'

type Evaluations = Parameters<typeof packEvaluations>[0]

const routing = { strategy: 'manifest', tier: 'SOFT', kind: 'update', confidence: 1, risk: 35, reasons: [] }
const execution: Execution = {
  tenant_id: 'ten_1',
  mode: 'live',
  id: 'exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R',
  status: 'executed',
  answered: 'executed',
  node_id: 'crm.contacts.editor',
  action_id: 'update_contact',
  version: '1.4.2',
  manifest_sha256: '0'.repeat(64),
  requested_by: { type: 'api_key', id: 'key_1' },
  persons: ['usr_1'],
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  correlation_id: 'order-7',
  asked: {},
  routing: JSON.stringify(routing),
  evaluations: packEvaluations([{ policy_id: 'class', result: 'pass' }]),
  policy_set_version: 'sha256:1',
  latency_ms: 84,
  retries: 0,
  payload_commitment: '1'.repeat(64),
  artifacts: [
    { artifact_id: 'art_1', type: 'action.requested', hash: 'sha256:a', at: '2026-11-20T10:00:00.000Z' },
    { artifact_id: 'art_2', type: 'protocol.executed', hash: 'sha256:b', at: '2026-11-20T10:00:00.084Z' },
  ],
  executed_at: '2026-11-20T10:00:00.084Z',
  undo_until: '2026-11-20T10:00:30.084Z',
}
const opened = { payload: { contact: 'con_1' }, output: { ok: true } }

describe('the body of an execution', () => {
  test.each(EXECUTION_STATUSES)('exists for %s', (status) => {
    expect(ExecutionView.safeParse(executionView({ ...execution, status }, opened)).success).toBe(true)
  })

  test('says that an erased payload is gone', () => {
    expect(executionView(execution, { payload: null }).result).toEqual({
      status: 'completed',
      message: 'Action executed.',
      payload_echo: null,
      payload_status: 'erased',
    })
  })

  test.each(['pending_approval', 'rejected', 'failed', 'outcome_unknown'] as const)(
    'has no output when %s',
    (status) => {
      expect(executionView({ ...execution, status }, opened).result).not.toHaveProperty('output')
    },
  )

  test('is at first what it was, now what it has become', () => {
    const undone: Execution = {
      ...execution,
      status: 'undone',
      undo: { state: 'done', by: 'key_1', at: '2026-11-20T10:00:10.000Z' },
      artifacts: [...execution.artifacts, { artifact_id: 'art_3', type: 'execution.undone', hash: 'sha256:c', at: '' }],
    }

    expect(firstExecutionView(undone, opened)).toEqual(firstExecutionView(execution, opened))
    expect(executionView(undone, opened)).toMatchObject({ status: 'undone', undo: { state: 'done' } })
    expect(executionView(undone, opened).receipt).toEqual(firstExecutionView(execution, opened).receipt)
  })

  test('names the artifact of the answer: the outcome of an action that ran, the request of one that was held', () => {
    const held = { id: 'apr_1', expires_at: '', action_digest: '', stages: [] }

    expect(firstExecutionView(execution, opened).receipt).toMatchObject({
      evidence_artifact_id: 'art_2',
      evidence_hash: 'sha256:b',
    })
    expect(firstExecutionView({ ...execution, held }, opened).receipt).toMatchObject({ evidence_artifact_id: 'art_1' })
  })
})

describe('stored evaluations', () => {
  test('come back as they were', () => {
    const all = [
      { policy_id: 'class', result: 'pass' },
      {
        policy_id: 'pol_1',
        result: 'forbid',
        basis: 'unknown' as const,
        why: [{ field: 'a', op: 'eq', outcome: 'unknown' }],
      },
      { policy_id: 'pol_2', result: 'pass', message: 'shadow' },
    ]

    expect(unpackEvaluations(packEvaluations(all))).toEqual(all)
  })

  test('lose their explanations, never a result, where hundreds of long ones do not fit', () => {
    const why = Array.from({ length: 5 }, () => ({ field: 'f'.repeat(256), op: 'eq', outcome: 'true' }))
    const fired = (message: string) =>
      Array.from({ length: 200 }, (_, i) => ({ policy_id: `pol_${i}`, result: 'forbid', basis: 'true', message, why }))
    const kept = (message: string) => unpackEvaluations(packEvaluations(fired(message) as Evaluations))

    expect(kept('m')[199]).toEqual({ policy_id: 'pol_199', result: 'forbid', basis: 'true', message: 'm' })
    expect(kept('m'.repeat(500))[199]).toEqual({ policy_id: 'pol_199', result: 'forbid', basis: 'true' })
    expect(kept('m'.repeat(500))).toHaveLength(200)
  })

  test('are bare ids where they passed', () => {
    expect(packEvaluations([{ policy_id: 'class', result: 'pass' }])).toBe('["class"]')
  })
})

describe('the months of a list', () => {
  test.each([
    ['2026-11-20T10:00:00Z', '2026-11-01T00:00:00Z', ['2026-11']],
    ['2026-03-31T23:59:59Z', '2026-01-31T23:59:59Z', ['2026-03', '2026-02', '2026-01']],
    ['2027-01-01T00:00:00Z', '2026-12-31T23:59:59Z', ['2027-01', '2026-12']],
  ])('go from %s back to %s', (from, to, months) => {
    expect(monthsBack(Date.parse(from), Date.parse(to))).toEqual(months)
  })
})
