// Keeps what the manifest alone tells of an action, so that a request pays for its payload only.
import { attached } from '../../base/lib/memory.ts'
import type { Endpoint } from './endpoint.ts'
import { hard, type Reason } from './declared.ts'
import { type DeclaredRole, declaredRoles, requiresCommand } from './declared-roles.ts'
import { type Action, type Opinions, opinionsOn, saysItReads } from './opinions.ts'
import { mixesScripts } from './tokens.ts'
import { wireOf, type WireFloor } from './wire.ts'

/** What the manifest alone tells of an action. */
export type Known = {
  opinions: Opinions
  spelling: Reason[]
  roles: readonly DeclaredRole[]
  /** The floors that method and path of the target set. */
  wire: readonly WireFloor[]
}

/** An action keeps it as long as it is in memory, because versions of manifests never change. */
const known = attached<Endpoint, Known & Pick<Action, 'node' | 'kindIsVouched' | 'lexicon'>>()

export function knownOf(action: Action): Known {
  const { node, endpoint, kindIsVouched, lexicon } = action
  const kept = known.get(endpoint)
  if (kept && kept.node === node && kept.kindIsVouched === kindIsVouched && kept.lexicon === lexicon) return kept
  const roles = declaredRoles(endpoint.input_schema)
  const wire = wireOf(endpoint, () => saysItReads(action))
  const fresh = {
    node,
    kindIsVouched,
    lexicon,
    opinions: opinionsOn(action, wire),
    wire: wire?.floors ?? [],
    spelling: [
      ...hard('mixed_script', mixesScripts(`${endpoint.action_id} ${endpoint.description ?? ''}`)),
      ...hard('command_input', requiresCommand(endpoint.input_schema, roles)),
    ],
    roles,
  }
  known.set(endpoint, fresh)
  return fresh
}
