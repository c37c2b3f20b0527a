// Cases of the rules that label, pair and split.
import type { Vote } from '../../../../shared/govern/approvals/approval.ts'
import type { Execution } from '../../../../shared/govern/executions/execution.ts'
import { featuresOf, simHash } from '../../../../shared/learn/samples/features.ts'
import type { Case } from '../../../../shared/learn/samples/label.ts'
import type { Sample } from '../../../../shared/learn/samples/sample.ts'

export const AT = '2026-11-20T10:00:00.000Z'

export function execution(change: Partial<Execution> = {}, tier = 'SOFT', confidence = 0.5): Execution {
  return {
    tenant_id: 'ten_1',
    mode: 'live',
    id: 'exe_01JD3Q8Z5N2C4E6G8J0M2P4R0A',
    status: 'executed',
    node_id: 'a.b.c',
    action_id: 'do',
    version: '1.0.0',
    manifest_sha256: '',
    requested_by: { type: 'api_key', id: 'key_1' },
    persons: ['ada'],
    trace_id: '',
    correlation_id: '',
    asked: {},
    routing: JSON.stringify({ tier, confidence }),
    evaluations: '[]',
    policy_set_version: '',
    latency_ms: 1,
    retries: 0,
    payload_commitment: '',
    artifacts: [{ artifact_id: 'art_1', type: 'action.rejected', hash: '', at: AT }],
    executed_at: AT,
    ...change,
  }
}

export const held = { id: 'apr_1', expires_at: AT, action_digest: '', stages: [] }

export const vote = (change: Partial<Vote> = {}): Vote => ({
  by: { type: 'user', id: 'ben' },
  persons: ['ben'],
  groups: [],
  decision: 'approve',
  at: AT,
  stage: 0,
  ...change,
})

type Decided = NonNullable<Case['approval']>

export const approval = (change: Partial<Decided> = {}): Decided => ({
  status: 'approved',
  method: 'manual',
  votes: [vote()],
  decided_at: AT,
  ...change,
})

/** Each vote got 60 seconds of attention unless another number is given. */
export const caseOf = (of: Execution, decided?: Decided, seconds = 60): Case => ({
  execution: of,
  approval: decided,
  attention: () => seconds,
  now: Date.parse(AT) + 3_600_000,
})

export function sample(id: string, change: Partial<Sample> & { payload?: string } = {}): Sample {
  const { payload = id, ...rest } = change
  const features = featuresOf({ payload })
  return {
    id,
    side: 'chosen',
    confidence: 0.9,
    source: 'human',
    decided_at: 0,
    requested_at: 0,
    group: 'g1',
    content: id,
    features,
    simhash: simHash(features),
    execution_ids: [id],
    artifact_ids: [],
    place: { at: 0, bytes: 0 },
    ...rest,
  }
}
