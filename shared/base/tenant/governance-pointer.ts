// Names what is in force: the policy set, the settings and the freezes. A tenant has this item from its founding, so one that is gone
// is never taken for that of a tenant that changed nothing.
import * as z from 'zod'
import type { Space } from '../context.ts'
import { bound } from '../table/bound.ts'
import { spaceKey, type Write } from '../table/entity.ts'
import { MODES, spaceMembers } from '../table/members.ts'

/** The active pointer. Every decision reads it, every change replaces it. */
export const governancePointers = bound({
  name: 'GOVERNANCE',
  schema: z.object({
    ...spaceMembers,
    /** `sha256:<hex>` over all enabled policies and the settings; absent: nobody has changed them. */
    policy_set_version: z.string().optional(),
    /** JSON of the governance settings; absent: the defaults. */
    settings: z.string().optional(),
    /** How often the set was changed, and the artifact of the last change; absent: never. */
    set_number: z.int().optional(),
    set_artifact_id: z.string().optional(),
    /** JSON of the freezes in force; absent: none. */
    freezes: z.string().optional(),
    /** How often set or freezes were changed; absent: never. */
    moves: z.int().optional(),
  }),
  free: [],
  key: (of: Space) => ({ pk: spaceKey(of), sk: 'GOVERNANCE' }),
})

/** The settings, as JSON, that a tenant is founded with, and the set that they and no policies make. */
export type FirstSet = { policy_set_version: string; settings: string }

/** Part of the founding, in both modes: nothing is set, or what the artifact of this id states as the first set. */
export const firstPointers = (tenant_id: string, first?: FirstSet & { set_artifact_id: string }): Write[] =>
  MODES.map((mode) =>
    governancePointers.insert({ tenant_id, mode, ...(first && { ...first, set_number: 1, moves: 1 }) }),
  )
