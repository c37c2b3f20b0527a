import type { Space } from '../../base/context.ts'
import type { Failure } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import type { Pointer } from './read-settings.ts'
import { governancePointers } from './stored-policy.ts'

/** Puts a policy set into force. Fails with `lost` when another one was put into force since `was` was read. */
export function movePointer(space: Space, was: Stored<Pointer> | undefined, next: Pointer, lost: Failure): Write {
  const pointer = { ...space, policy_set_version: next.policy_set_version, settings: next.settings }
  return was ? governancePointers.replace(pointer, was, lost) : governancePointers.insert(pointer, lost)
}
