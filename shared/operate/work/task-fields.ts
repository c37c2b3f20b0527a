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
const Checklist = z.array(z.strictObject({ text: plainText(200), done: z.boolean().default(false) })).max(50)
const Instant = z.iso.datetime({ offset: true }).transform((time) => iso(Date.parse(time)))
const NewAssignee = z.strictObject({ type: Assignee.shape.type, id })

/** Tasks of other kinds are made by the areas that they belong to. */
export const KINDS_BY_HAND = ['general', 'remediation', 'dsr', 'approval'] as const

export const TaskBody = z.strictObject({
  title: displayName(200),
  description: optional(Text),
  kind: z.enum(KINDS_BY_HAND).default('general'),
  priority: optional(z.enum(PRIORITIES)),
  /** Null: nobody yet. Left out: whoever fits and has least to do. */
  assignee: NewAssignee.nullable().optional(),
  labels: optional(Labels),
  due_at: optional(Instant),
  source: optional(z.strictObject({ type: z.string().regex(/^[a-z_]{1,40}$/), id })),
  parent_id: optional(id),
  checklist: optional(Checklist),
})
export type TaskBody = z.output<typeof TaskBody>

export const TaskPatch = z.strictObject({
  status: optional(z.enum(TASK_STATUSES)),
  assignee: NewAssignee.nullable().optional(),
  priority: optional(z.enum(PRIORITIES)),
  due_at: Instant.nullable().optional(),
  labels: optional(Labels),
  checklist: optional(Checklist),
  resolution: optional(plainText(200)),
  note: optional(Text),
  version: optional(z.int()),
})
export type TaskPatch = z.output<typeof TaskPatch>
