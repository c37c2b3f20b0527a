// What a request may say of a framework and of a control.
import * as z from 'zod'
import { id, optional } from '../../base/wire/fields.ts'

export const EnableBody = z.strictObject({
  scope: optional(z.record(z.string().max(64), z.boolean())),
  /** Null: nobody. Left out: as before. */
  owner_user_id: id.nullable().optional(),
  evidence_validity_days: optional(z.int().min(1).max(730)),
  window_days: optional(z.int().min(7).max(366)),
})
export type EnableBody = z.output<typeof EnableBody>

export const ControlPatch = z.strictObject({
  owner_user_id: id.nullable().optional(),
  note: z.string().min(1).max(2_000).nullable().optional(),
  version: optional(z.int()),
})
export type ControlPatch = z.output<typeof ControlPatch>
