import type { Space } from '../../base/context.ts'
import type { Failure } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import type { ActiveFreeze } from './freeze.ts'
import type { Pointer } from './read-settings.ts'
import { policySetVersion } from './set-version.ts'
import { DEFAULT_SETTINGS } from './settings.ts'
import { governancePointers } from './stored-policy.ts'

/** Puts a policy set into force; freezes stay as they are. Fails with `lost` when another one was put into force since `was` was read. */
export function movePointer(
  space: Space,
  was: Stored<Pointer> | undefined,
  { policy_set_version, settings }: Omit<Pointer, 'freezes'>,
  lost: Failure,
): Write {
  return write(space, was, { policy_set_version, settings, freezes: was?.freezes }, lost)
}

/** Puts freezes into force; policies and settings stay as they are. Fails in the same way. */
export function moveFreezes(
  space: Space,
  was: Stored<Pointer> | undefined,
  freezes: readonly ActiveFreeze[],
  lost: Failure,
): Write {
  const { policy_set_version, settings } = was ?? { policy_set_version: policySetVersion([], DEFAULT_SETTINGS) }
  const text = freezes.length > 0 ? JSON.stringify(freezes) : undefined
  return write(space, was, { policy_set_version, settings, freezes: text }, lost)
}

function write(space: Space, was: Stored<Pointer> | undefined, next: Pointer, lost: Failure): Write {
  const pointer = { ...space, ...next }
  return was ? governancePointers.replace(pointer, was, lost) : governancePointers.insert(pointer, lost)
}
