import { given } from '../../base/lib/given.ts'
import type { Failure } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { governancePointers } from '../../base/tenant/governance-pointer.ts'
import type { ActiveFreeze } from './freeze.ts'
import type { Pointer } from './read-settings.ts'

/** What an artifact states of the set that it put into force. */
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
