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
  type: z.enum(['human', 'ai']).describe('Whether the worker is a person or an agent.'),
  name: Name.describe('A name for people.'),
  user_id: optional(id).describe('Id of the person.'),
  agent: optional(
    z.strictObject({
      agent_id: id.describe('Id of the agent, which is bound to the credential or stated in the request.'),
      model_slot: optional(plainText(120)).describe('The model that the agent uses.'),
      persona_key: optional(plainText(120)).describe('Key of the persona that the agent uses.'),
      api_key_id: id.describe('Id of the API key that was used.'),
    }),
  ).describe('The agent, and the key that it works with.'),
  skills: Skills.default([]).describe('Labels of tasks that the worker can do.'),
  capacity: Capacity.default(10).describe('The maximum number of open tasks of the worker.'),
  max_tier: z.enum(TIERS).default('AUTO').describe('The highest tier that the worker may run.'),
})
export type WorkerBody = z.output<typeof WorkerBody>

export const WorkerPatch = z.strictObject({
  name: optional(Name).describe('A name for people.'),
  status: optional(z.enum(['active', 'paused'])).describe('The current state.'),
  skills: optional(Skills).describe('Labels of tasks that the worker can do.'),
  capacity: optional(Capacity).describe('The maximum number of open tasks of the worker.'),
  max_tier: optional(z.enum(TIERS)).describe('The highest tier that the worker may run.'),
  version: optional(z.int()).describe(
    'The version, which grows with each change. Send it as `If-Match` with the next change.',
  ),
})
export type WorkerPatch = z.output<typeof WorkerPatch>
