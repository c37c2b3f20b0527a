// What a request may say of a framework and of a control.
import * as z from 'zod'
import { id, optional } from '../../base/wire/fields.ts'

export const EnableBody = z.strictObject({
  scope: optional(z.record(z.string().max(64), z.boolean())).describe(
    'Which parts are in scope, by their tags. What is left out stays as it is.',
  ),
  /** Null: nobody. Left out: as before. */
  owner_user_id: id.nullable().optional().describe('Id of an active user who looks after it; null: nobody.'),
  evidence_validity_days: optional(z.int().min(1).max(730)).describe(
    'How long accepted evidence holds that names no end of its own.',
  ),
  window_days: optional(z.int().min(7).max(366)).describe('How many days back checks of events look.'),
})
export type EnableBody = z.output<typeof EnableBody>

export const ControlPatch = z.strictObject({
  owner_user_id: id.nullable().optional().describe('Id of an active user who looks after it; null: nobody.'),
  note: z.string().min(1).max(2_000).nullable().optional().describe('A note; null removes it.'),
  version: optional(z.int()).describe('The version that you want to change. Any other version is answered 409.'),
})
export type ControlPatch = z.output<typeof ControlPatch>
