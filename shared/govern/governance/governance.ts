// Loads the policies and settings in force, and puts another set or other freezes into force. The pointer is read on every request. The
// set that it names never changes, so each process reads and compiles it once.
import type { Space } from '../../base/context.ts'
import { verifiedDomains } from '../../identity/domains/verified.ts'
import type { Failure } from '../../base/lib/failure.ts'
import { memory } from '../../base/lib/memory.ts'
import {
  datesOf,
  type LexiconWords,
  type MoreRules,
  policySetVersion,
  rules,
  rulesOf,
  type StoredCalendar,
  type StoredLexicon,
  type StoredPolicy,
  wordsOf,
} from './stored-rules.ts'
import { spaceKey, type Stored, type Write } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import type { CompiledSet } from './conditions/compile.ts'
import { type ActiveFreeze, readFreezes } from './freeze.ts'
import { DEFAULT_SETTINGS, findPointer, type GovernanceSettings, type Pointer, readSettings } from './settings.ts'
import { given } from '../../base/lib/json.ts'
import { governancePointers } from '../../base/tenant/tenant.ts'

export type Governance = {
  policy_set_version: string
  settings: GovernanceSettings
  set: CompiledSet
  /** The tenant's own words; absent when there are none. */
  lexicon?: LexiconWords | undefined
}

/** `revision`: of the pointer. `read_at` (ms): before the pointer was read. */
export type InForce = Governance & { revision: number; freezes: readonly ActiveFreeze[]; read_at: number }

const READS_MAX = 3
const kept = memory<Governance>(200)
const last = memory<CompiledSet>(200)
/** How often what is in force was changed, as far as this process has seen. */
const newest = memory<number>(1_000)
let nothingSet: Governance | undefined

/** The policies and settings that decisions use. */
export async function activeGovernance(table: Table, space: Space): Promise<InForce> {
  const [inForce, verified] = await Promise.all([readGovernance(table, space), verifiedDomains(table, space.tenant_id)])
  return { ...inForce, settings: withVerifiedDomains(verified, inForce.settings) }
}

/** The settings that decisions use. */
export async function activeSettings(table: Table, space: Space): Promise<GovernanceSettings> {
  const [pointer, verified] = await Promise.all([findPointer(table, space), verifiedDomains(table, space.tenant_id)])
  return withVerifiedDomains(verified, readSettings(pointer))
}

/** Recipients in a verified domain of the tenant are internal, like those in the domains of its settings. */
const withVerifiedDomains = (verified: readonly string[], settings: GovernanceSettings): GovernanceSettings =>
  verified.length === 0 ? settings : { ...settings, domains: [...settings.domains, ...verified] }

/**
 * The same without the verified domains, for callers that look at no payload. A tenant that never changed its set has no policies, and
 * the default settings.
 */
export async function readGovernance(table: Table, space: Space): Promise<InForce> {
  for (let read = 0; read < READS_MAX; read += 1) {
    const read_at = table.clock.now()
    const pointer = await findNewestPointer(table, space)
    const freezes = readFreezes(pointer)
    const revision = pointer._v
    if (isUnchanged(pointer)) return { ...(nothingSet ??= defaults()), revision, freezes, read_at }
    const name = `${spaceKey(space)}/${pointer.policy_set_version}`
    const known = kept.get(name) ?? (await load(table, space, pointer))
    if (known) {
      kept.set(name, known)
      last.set(spaceKey(space), known.set)
      return { ...known, revision, freezes, read_at }
    }
  }
  throw new Error(`gave up after ${READS_MAX} concurrent changes of the policies`)
}

/** Reads are consistent, so only who writes past the service can put an earlier set into force: this process then serves nothing. */
async function findNewestPointer(table: Table, space: Space): Promise<Stored<Pointer>> {
  const name = spaceKey(space)
  const seen = newest.get(name) ?? 0
  const pointer = await findPointer(table, space)
  const { moves = 0 } = pointer
  if (moves < seen) throw new Error(`what is in force in ${name} was set back from change ${seen} to ${moves}`)
  if (moves > (newest.get(name) ?? 0)) newest.set(name, moves)
  return pointer
}

/** The policies that this container has seen last. Others may be in force by now. */
export const lastSet = (space: Space): CompiledSet | undefined => last.get(spaceKey(space))

const defaults = (): Governance => ({
  policy_set_version: policySetVersion([], DEFAULT_SETTINGS),
  settings: DEFAULT_SETTINGS,
  set: { policies: [], limited: [], reads: new Set() },
})

/** Undefined when the policies have changed since the pointer was read. */
async function load(table: Table, space: Space, pointer: Pointer): Promise<Governance | undefined> {
  const settings = readSettings(pointer)
  const [stored, { Policy }, { compileSet }] = await Promise.all([
    readRules(table, space),
    import('./policy.ts'), // loaded here, because many tenants have no policies
    import('./conditions/compile.ts'),
  ])
  const { calendars, lexicon } = stored
  const enabled = stored.policies.filter(({ enabled: isOn }) => isOn).map(({ body }) => Policy.parse(JSON.parse(body)))
  const policy_set_version = policySetVersion(enabled, settings, { calendars, lexicon: lexicon && wordsOf(lexicon) })
  if (policy_set_version !== pointer.policy_set_version) return undefined
  return {
    policy_set_version,
    settings,
    set: compileSet(enabled, datesOf(calendars)),
    lexicon: lexicon && wordsOf(lexicon),
  }
}

export type StoredRules = {
  policies: Stored<StoredPolicy>[]
  calendars: Stored<StoredCalendar>[]
  lexicon?: Stored<StoredLexicon> | undefined
}

/** The rules that the policy set version names beside policies and settings. */
export const moreRules = ({ calendars, lexicon }: StoredRules): MoreRules => ({
  calendars,
  lexicon: lexicon && wordsOf(lexicon),
})

/**
 * For a change: throws `lost` unless these are the rules that the pointer names. Otherwise the change would put into force what
 * somebody else wrote to the table, and be compared with it.
 */
export async function rulesInForce(table: Table, space: Space, pointer: Pointer, lost: Failure): Promise<StoredRules> {
  const [rulesNow, { Policy }] = await Promise.all([readRules(table, space), import('./policy.ts')])
  const all = rulesNow.policies.map(({ body }) => Policy.parse(JSON.parse(body)))
  const version = policySetVersion(all, readSettings(pointer), moreRules(rulesNow))
  if (version === (pointer.policy_set_version ?? defaults().policy_set_version)) return rulesNow
  throw lost
}

/** Everything that the policy set version names but the settings, in one read. */
export async function readRules(table: Table, space: Space): Promise<StoredRules> {
  const all = await table.query(rules, rulesOf(space))
  return {
    policies: all.flatMap((one) => ('policy' in one ? [one.policy] : [])),
    calendars: all.flatMap((one) => ('calendar' in one ? [one.calendar] : [])),
    lexicon: all.flatMap((one) => ('lexicon' in one ? [one.lexicon] : []))[0],
  }
}

/** The set that an artifact states, and that its change put into force. */
export type StatedSet = {
  version: string
  number: number
  /** The set that it replaced, and the artifact of that one. Absent for the first change of a tenant. */
  previous?: { version: string; artifact_id?: string | undefined }
}

/** Whether nobody has changed the set of the tenant yet. */
export const isUnchanged = ({ policy_set_version, set_number }: Pointer): boolean =>
  policy_set_version === undefined && set_number === undefined

const statedSet = (was: Pointer, version: string): StatedSet => ({
  version,
  number: numberAfter(was),
  ...(was.policy_set_version !== undefined && {
    previous: { version: was.policy_set_version, ...given({ artifact_id: was.set_artifact_id }) },
  }),
})

const numberAfter = ({ set_number = 0 }: Pointer): number => set_number + 1

type NextSet = { policy_set_version: string; artifact_id: string; settings?: Pointer['settings'] }

/**
 * Puts a policy set into force; freezes stay as they are, and settings that are not given. Fails with `lost` when another one was put
 * into force since `was` was read. The artifact that the pointer then names has to state `set`, under the mode of the set.
 */
export function movePointer(
  was: Stored<Pointer>,
  { policy_set_version, settings = was.settings, artifact_id }: NextSet,
  lost: Failure,
): { write: Write; set: StatedSet } {
  const next = { policy_set_version, settings, set_number: numberAfter(was), set_artifact_id: artifact_id }
  return { write: write(was, next, lost), set: statedSet(was, policy_set_version) }
}

/** Puts freezes into force; policies and settings stay as they are. Fails in the same way. */
export const moveFreezes = (was: Stored<Pointer>, freezes: readonly ActiveFreeze[], lost: Failure): Write =>
  write(was, { freezes: freezes.length > 0 ? JSON.stringify(freezes) : undefined }, lost)

const write = (was: Stored<Pointer>, next: Partial<Pointer>, lost: Failure): Write =>
  governancePointers.replace({ ...was, ...next, moves: (was.moves ?? 0) + 1 }, was, lost)
