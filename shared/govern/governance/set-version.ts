import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import type { Policy } from './policy.ts'
import type { GovernanceSettings } from './settings.ts'

const byId = (a: Policy, b: Policy) => (a.policy_id < b.policy_id ? -1 : 1)

/** Identifies the rules of a decision: `sha256:<hex>` over the enabled policies, sorted by id, and the settings. */
export function policySetVersion(policies: readonly Policy[], settings: GovernanceSettings): string {
  const enabled = policies.filter((policy) => policy.enabled).toSorted(byId)
  return `sha256:${sha256Hex(canonicalJson({ policies: enabled, settings }))}`
}
