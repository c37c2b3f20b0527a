// What a request may say of a worker.
import * as z from 'zod'
import { displayName, id, optional, plainText } from '../../base/wire/fields.ts'
import { TIERS } from '../../govern/tasks/worker.ts'

const Name = displayName(120)
const Skills = z
  .array(plainText(60))
  .max(50)
  .transform((skills) => [...new Set(skills)])
const Capacity = z.int().min(1).max(1_000)

export const WorkerBody = z.strictObject({
  type: z.enum(['human', 'ai']),
  name: Name,
  user_id: optional(id),
  agent: optional(
    z.strictObject({
      agent_id: id,
      model_slot: optional(plainText(120)),
      persona_key: optional(plainText(120)),
      api_key_id: id,
    }),
  ),
  skills: Skills.default([]),
  capacity: Capacity.default(10),
  max_tier: z.enum(TIERS).default('AUTO'),
})
export type WorkerBody = z.output<typeof WorkerBody>

export const WorkerPatch = z.strictObject({
  name: optional(Name),
  status: optional(z.enum(['active', 'paused'])),
  skills: optional(Skills),
  capacity: optional(Capacity),
  max_tier: optional(z.enum(TIERS)),
  version: optional(z.int()),
})
export type WorkerPatch = z.output<typeof WorkerPatch>
