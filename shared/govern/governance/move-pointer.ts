import type { Space } from '../../base/context.ts'
import { given } from '../../base/lib/given.ts'
import type { Failure } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import type { ActiveFreeze } from './freeze.ts'
import type { Pointer } from './read-settings.ts'
import { policySetVersion } from './set-version.ts'
import { DEFAULT_SETTINGS } from './settings.ts'
import { governancePointers } from './stored-policy.ts'

/** What an artifact states of the set that it put into force. */
export type StatedSet = {
  version: string
  number: number
  /** The set that it replaced, and the artifact of that one. Absent for the first change of a tenant. */
  previous?: { version: string; artifact_id?: string | undefined }
}

const nothingSet = (): Pointer => ({ policy_set_version: policySetVersion([], DEFAULT_SETTINGS) })

/** Whether nobody has changed the set of the tenant yet. */
export const isUnchanged = (pointer: Pointer): boolean =>
  pointer.set_number === undefined && pointer.policy_set_version === nothingSet().policy_set_version

const statedSet = (was: Pointer | undefined, version: string): StatedSet => ({
  version,
  number: numberAfter(was),
  ...(was && !isUnchanged(was) && { previous: previousOf(was) }),
})

const previousOf = ({ policy_set_version, set_artifact_id }: Pointer) => ({
  version: policy_set_version,
  ...given({ artifact_id: set_artifact_id }),
})

const numberAfter = (was: Pointer | undefined): number => (was?.set_number ?? 0) + 1

type NextSet = { policy_set_version: string; artifact_id: string; settings?: Pointer['settings'] }

/**
 * Puts a policy set into force; freezes stay as they are, and settings that are not given. Fails with `lost` when another one was put
 * into force since `was` was read. The artifact that the pointer then names has to state `set`, under the mode of the set.
 */
export function movePointer(
  space: Space,
  was: Stored<Pointer> | undefined,
  { policy_set_version, settings = was?.settings, artifact_id }: NextSet,
  lost: Failure,
): { write: Write; set: StatedSet } {
  const next = { policy_set_version, settings, set_number: numberAfter(was), set_artifact_id: artifact_id }
  return {
    write: write(space, was, { ...next, freezes: was?.freezes }, lost),
    set: statedSet(was, policy_set_version),
  }
}

/** Puts freezes into force; policies and settings stay as they are. Fails in the same way. */
export function moveFreezes(
  space: Space,
  was: Stored<Pointer> | undefined,
  freezes: readonly ActiveFreeze[],
  lost: Failure,
): Write {
  return write(
    space,
    was,
    { ...(was ?? nothingSet()), freezes: freezes.length > 0 ? JSON.stringify(freezes) : undefined },
    lost,
  )
}

function write(space: Space, was: Stored<Pointer> | undefined, next: Pointer, lost: Failure): Write {
  const pointer = { ...next, ...space }
  return was ? governancePointers.replace(pointer, was, lost) : governancePointers.insert(pointer, lost)
}
