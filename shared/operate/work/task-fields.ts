// What a request may say of a task.
import * as z from 'zod'
import { iso } from '../../base/lib/clock.ts'
import { PRIORITIES } from '../../base/sla/policy.ts'
import { displayName, id, optional, plainText } from '../../base/wire/fields.ts'
import { TASK_STATUSES } from '../../govern/tasks/states.ts'
import { Assignee } from '../../govern/tasks/task.ts'

const Text = z.string().min(1).max(8_000)
const Labels = z
  .array(plainText(60))
  .max(20)
  .transform((labels) => [...new Set(labels)])
const Checklist = z
  .array(
    z.strictObject({
      text: plainText(200).describe('The step to do.'),
      done: z.boolean().default(false).describe('Whether it is done.'),
    }),
  )
  .max(50)
const Instant = z.iso.datetime({ offset: true }).transform((time) => iso(Date.parse(time)))
const NewAssignee = z.strictObject({ type: Assignee.shape.type, id: id.describe('Id of the user, worker or group.') })

/** Tasks of other kinds are made by the areas that they belong to. */
export const KINDS_BY_HAND = ['general', 'remediation', 'dsr', 'approval'] as const

export const TaskBody = z.strictObject({
  title: displayName(200).describe('A short title.'),
  description: optional(Text).describe('A description for people.'),
  kind: z.enum(KINDS_BY_HAND).default('general').describe('What kind of work it is.'),
  priority: optional(z.enum(PRIORITIES)).describe('The priority.'),
  /** Null: nobody yet. Left out: whoever fits and has least to do. */
  assignee: NewAssignee.nullable().optional().describe('Who the task is assigned to. Null: nobody.'),
  labels: optional(Labels).describe('Skills that a worker must have to be assigned the task automatically.'),
  due_at: optional(Instant).describe('The agreed date. The SLA has separate times.'),
  source: optional(
    z.strictObject({
      type: z
        .string()
        .regex(/^[a-z_]{1,40}$/)
        .describe('The type of the resource.'),
      id: id.describe('Id of the resource.'),
    }),
  ).describe('What the task is about.'),
  parent_id: optional(id).describe('Id of the task that this one is a part of.'),
  checklist: optional(Checklist).describe('The steps of the task.'),
})
export type TaskBody = z.output<typeof TaskBody>

export const TaskPatch = z.strictObject({
  status: optional(z.enum(TASK_STATUSES)).describe('The current state.'),
  assignee: NewAssignee.nullable().optional().describe('Who the task is assigned to. Null: nobody.'),
  priority: optional(z.enum(PRIORITIES)).describe('The priority.'),
  due_at: Instant.nullable().optional().describe('The agreed date. The SLA has separate times.'),
  labels: optional(Labels).describe('Skills that a worker must have to be assigned the task automatically.'),
  checklist: optional(Checklist).describe('The steps of the task.'),
  resolution: optional(plainText(200)).describe('How the task ended, in a few words.'),
  note: optional(Text).describe('A note to add.'),
  version: optional(z.int()).describe(
    'The version, which grows with each change. Send it as `If-Match` with the next change.',
  ),
})
export type TaskPatch = z.output<typeof TaskPatch>
