// A persona allows certain nodes up to a tier and refuses everything else. It never lowers a tier.
import { globMatches, scopeMatches } from './glob.ts'
import { isStricter, type Tier } from '../../base/catalog/kinds.ts'

export type Persona = {
  persona_key: string
  /** Globs; none: all nodes. */
  allowed_nodes: readonly string[]
  denied_nodes: readonly string[]
  tier_ceiling: Tier
  default_require_approval: boolean
}

/** Why the persona refuses an action of this node and tier; undefined when it allows it. */
export function refusalOf(persona: Persona, nodeId: string, tier: Tier): string | undefined {
  const { allowed_nodes, denied_nodes, tier_ceiling } = persona
  const isDenied = denied_nodes.some((glob) => globMatches(glob, nodeId))
  if (isDenied || !scopeMatches(allowed_nodes, nodeId)) return 'the persona may not use this node'
  return isStricter(tier, tier_ceiling) ? `the persona may not go above ${tier_ceiling}` : undefined
}
