// Warns of what a policy cannot do under the settings of its tenant. They may change, so it is no error.
import { leavesOf } from './conditions.ts'
import type { PolicyBody } from './policy.ts'
import type { GovernanceSettings } from './settings.ts'

export type ConcerningSettings = Pick<GovernanceSettings, 'approval_ttl_s' | 'pii_mode' | 'require_human_approver'>

export const settingsWarnings = (body: PolicyBody, settings: ConcerningSettings): string[] => [
  ...escalationWarnings(body, settings),
  ...searchWarnings(body, settings),
  ...keyWarnings(body, settings),
]

/** Another policy that asks with it may give more time. */
function escalationWarnings({ approval }: PolicyBody, { approval_ttl_s }: ConcerningSettings): string[] {
  const { escalate_after_s, expires_in_s } = approval ?? {}
  if (escalate_after_s === undefined || expires_in_s !== undefined || escalate_after_s < approval_ttl_s) return []
  return [
    `The policy escalates after ${escalate_after_s} seconds, but its approvals expire after ${approval_ttl_s}, by the setting approval_ttl_s. Add a larger "expires_in_s", or escalate earlier.`,
  ]
}

function searchWarnings({ when, unless, after }: PolicyBody, { pii_mode }: ConcerningSettings): string[] {
  if (pii_mode !== 'off') return []
  const reads = [...leavesOf(when), ...leavesOf(unless)].some(({ leaf }) => leaf.field === 'signals.pii')
  const follows = (after?.output ?? []).length > 0
  return reads || follows
    ? [
        'The policy goes by personal data, of which none is found while the setting pii_mode is off. Set it to "detect".',
      ]
    : []
}

/** Where a person decides, a stage of keys alone is one that nobody can complete. */
function keyWarnings({ approval }: PolicyBody, { require_human_approver: setting }: ConcerningSettings): string[] {
  const isOfKeys = ({ groups }: { groups: readonly string[] }) => groups.every((group) => group.startsWith('key:'))
  if (setting === false || !approval?.stages.some(isOfKeys)) return []
  const where = setting === true ? 'on every action' : 'on payments, deletions and the like in live mode'
  return [
    `A stage of the policy names only keys, but a person decides ${where}, by the setting require_human_approver. Name people, too.`,
  ]
}
