import type { Space } from '../../base/context.ts'
import { builtIn, builtInId, burnRuleName } from '../definitions/definition.ts'
import type { Runbook, Step } from './runbook.ts'

const manual = (title: string, instructions: string): Step => ({ title, kind: 'manual', instructions })

type Given = Pick<Runbook, 'name' | 'description' | 'steps'> & {
  /** Names of rules that come with the service. */
  rules: (space: Space) => readonly string[]
}

const RUNBOOKS: readonly Given[] = [
  {
    name: 'broken-evidence-chain',
    description: 'What to do when the evidence chain does not verify.',
    rules: () => ['evidence-chain-broken'],
    steps: [
      manual(
        'Stop exports and deletions',
        'Tell everybody with access to the table and the buckets to change nothing.',
      ),
      manual(
        'Verify the chain in full',
        'Call POST /api/v1/evidence/verify with full: true. Note the positions that it names as broken or missing.',
      ),
      manual(
        'Compare with the signed checkpoints',
        'Checkpoints lie in the evidence bucket under Object Lock. Restore the items from a backup that still verifies.',
      ),
      manual(
        'Find out who changed them',
        'CloudTrail names who wrote to the table past the service. Revoke that access.',
      ),
    ],
  },
  {
    name: 'service-unavailable',
    description: 'What to do when requests fail faster than the objective allows.',
    rules: (space) => [burnRuleName(builtInId('slo', space, 'api-availability'))],
    steps: [
      manual('Find the failing part', 'Call GET /api/health/detailed and read which component is not healthy.'),
      manual(
        'Look for a recent change',
        'Compare the time of the first failures with deployments and with AWS Health.',
      ),
      manual(
        'Tell those who depend on it',
        'Post the incident where your users look, and when you expect the next news.',
      ),
    ],
  },
]

export const builtInRunbooks = (space: Space): Runbook[] =>
  RUNBOOKS.map(({ rules, ...given }) => {
    const { updated_at, ...common } = builtIn('rbk', space, given.name)
    const alert_rule_ids = rules(space).map((name) => builtInId('rul', space, name))
    return { ...common, ...given, trigger: { alert_rule_ids, severities: [] }, runbook_version: 1, authors: [] }
  })
