import { isStricter } from '../../base/catalog/kinds.ts'
import type { StoredPersona } from '../../govern/learned/persona.ts'

type Rules = Pick<
  StoredPersona,
  'allowed_nodes' | 'denied_nodes' | 'tier_ceiling' | 'default_require_approval' | 'enabled' | 'model_slot'
>

/**
 * The first member of a change that may let something pass that was refused or raised before. Globs are not compared by what
 * they match: any other list of allowed nodes may be wider. Another slot may hold a model that raises less, or none.
 */
export function looseningIn(was: Rules, next: Rules): keyof Rules | undefined {
  const rules: [keyof Rules, boolean][] = [
    ['allowed_nodes', JSON.stringify(was.allowed_nodes) !== JSON.stringify(next.allowed_nodes)],
    ['denied_nodes', was.denied_nodes.some((glob) => !next.denied_nodes.includes(glob))],
    ['tier_ceiling', isStricter(next.tier_ceiling, was.tier_ceiling)],
    ['default_require_approval', was.default_require_approval && !next.default_require_approval],
    ['enabled', !was.enabled && next.enabled],
    ['model_slot', was.model_slot !== next.model_slot],
  ]
  return rules.find(([, loosens]) => loosens)?.[0]
}
