import type { Decision } from '../governance/evaluate.ts'
import type { LoadedAction } from '../manifests/load.ts'

/** The undo window of the first execution is the authority of the second: it runs without another decision. */
export const undoDecision = ({ endpoint }: LoadedAction, of: string): Decision => ({
  outcome: 'run',
  tier: 'SOFT',
  routing_decision: {
    strategy: 'undo',
    tier: 'SOFT',
    kind: 'update',
    confidence: 1,
    risk: 0,
    reasons: [{ signal: 'undo', value: `${endpoint.action_id} of ${of}` }],
  },
  policy_evaluations: [{ policy_id: 'undo', result: 'pass' }],
  fired: [],
  stages: [],
  allow_self: true,
  expires_in_s: 0,
})
