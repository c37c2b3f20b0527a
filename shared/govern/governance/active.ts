// The policies and settings in force. The pointer is read on every request; what it points to never changes, so each
// container reads and compiles it once.
import type { Space } from '../../base/context.ts'
import { verifiedDomains } from '../../identity/domains/verified.ts'
import { memory } from '../../base/lib/memory.ts'
import { policies, policiesPartition } from '../policies/stored-policy.ts'
import { spaceKey } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { type CompiledSet, compileSet } from './compile.ts'
import { findPointer, type Pointer, readSettings } from './read-settings.ts'
import { policySetVersion } from './set-version.ts'
import { DEFAULT_SETTINGS, type GovernanceSettings } from './settings.ts'

export type Governance = { policy_set_version: string; settings: GovernanceSettings; set: CompiledSet }

/** With the revision of the pointer that named them; 0: there is none. */
export type InForce = Governance & { revision: number }

const READS_MAX = 3
const kept = memory<Governance>(200)
let nothingSet: Governance | undefined

/** What decisions are made under. */
export async function activeGovernance(table: Table, space: Space): Promise<InForce> {
  const [inForce, verified] = await Promise.all([readGovernance(table, space), verifiedDomains(table, space.tenant_id)])
  return { ...inForce, settings: atHomeIn(verified, inForce.settings) }
}

/** The settings that decisions are made under. */
export async function activeSettings(table: Table, space: Space): Promise<GovernanceSettings> {
  const [pointer, verified] = await Promise.all([findPointer(table, space), verifiedDomains(table, space.tenant_id)])
  return atHomeIn(verified, readSettings(pointer))
}

/** Recipients in a domain that the tenant has verified are at home, like those in its settings. */
const atHomeIn = (verified: readonly string[], settings: GovernanceSettings): GovernanceSettings =>
  verified.length === 0 ? settings : { ...settings, domains: [...settings.domains, ...verified] }

/** A tenant that never had a policy has no pointer: no policies, and the default settings. */
async function readGovernance(table: Table, space: Space): Promise<InForce> {
  for (let read = 0; read < READS_MAX; read += 1) {
    const pointer = await findPointer(table, space)
    if (!pointer) return { ...(nothingSet ??= defaults()), revision: 0 }
    const name = `${spaceKey(space)}/${pointer.policy_set_version}`
    const known = kept.get(name) ?? (await load(table, space, pointer))
    if (known) {
      kept.set(name, known)
      return { ...known, revision: pointer._v }
    }
  }
  throw new Error('the policies changed under every one of several reads')
}

const defaults = (): Governance => ({
  policy_set_version: policySetVersion([], DEFAULT_SETTINGS),
  settings: DEFAULT_SETTINGS,
  set: compileSet([]),
})

/** Undefined when the policies are no longer those of the pointer: they changed in between. */
async function load(table: Table, space: Space, pointer: Pointer): Promise<Governance | undefined> {
  const settings = readSettings(pointer)
  const [stored, { Policy }] = await Promise.all([
    table.query(policies, { pk: policiesPartition(space) }),
    import('./policy.ts'), // many functions never meet a tenant with policies
  ])
  const enabled = stored.filter(({ enabled: isOn }) => isOn).map(({ body }) => Policy.parse(JSON.parse(body)))
  const policy_set_version = policySetVersion(enabled, settings)
  if (policy_set_version !== pointer.policy_set_version) return undefined
  return { policy_set_version, settings, set: compileSet(enabled) }
}
