// A runbook: the steps by which people bring an incident to its end. Posting one again under its name makes the next version; an
// incident keeps the version that it was linked to.
import * as z from 'zod'
import { spaceMembers } from '../../base/table/members.ts'
import type { Space } from '../../base/context.ts'
import { entity, key, padded } from '../../base/table/entity.ts'
import { builtInId, CREATOR, operationsKey } from '../definitions/definition.ts'
import { freeForm } from '../../base/wire/fields.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'

export const Step = z.object({
  title: z.string(),
  /** `action`: completing the task of the step requests this action for whoever completes it. */
  kind: z.enum(['manual', 'action']),
  instructions: z.string().optional(),
  node_id: z.string().optional(),
  action_id: z.string().optional(),
  /** As JSON text, because the table keeps neither every number nor every depth. */
  payload_template: z.string().optional(),
  timeout_s: z.int().optional(),
})
export type Step = z.output<typeof Step>

export const Runbook = z.object({
  ...spaceMembers,
  /** Follows from the name, so all versions share it. */
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  trigger: z.object({ alert_rule_ids: z.array(z.string()), severities: z.array(z.string()) }),
  steps: z.array(Step),
  owner: z.string().optional(),
  runbook_version: z.int(),
  created_at: z.string(),
  created_by: CREATOR,
  /** Everybody who could have written it. None of them approves what its steps run. */
  authors: z.array(z.string()),
})
export type Runbook = z.output<typeof Runbook>

const StepView = Step.extend({ payload_template: freeForm.optional() })

export const RunbookView = Runbook.omit({ mode: true, authors: true }).extend({
  steps: z.array(StepView),
  built_in: z.boolean(),
  /** Null until an incident is linked to it. */
  last_used_at: z.string().nullable(),
})

type Shown = Omit<Runbook, 'authors'> & Pick<z.output<typeof RunbookView>, 'built_in' | 'last_used_at'>

export const runbookView = (runbook: Shown): z.input<typeof RunbookView> => ({
  ...runbook,
  steps: runbook.steps.map(({ payload_template: text, ...step }) => ({
    ...step,
    ...(text !== undefined && { payload_template: templateOf(text) }),
  })),
})

export const templateOf = (text: string): JsonObject => JSON.parse(text)

export const RUNBOOK_PREFIX = 'RBK#'

export const runbookId = (space: Space, name: string): string => builtInId('rbk', space, name)

export const runbookVersions = entity({
  name: 'RUNBOOK',
  schema: Runbook,
  key: (of: Space & { id: string; runbook_version: number }) => ({
    pk: operationsKey(of),
    sk: key('RBK', of.id, padded(of.runbook_version, 6)),
  }),
})

/** When a runbook was last linked, of all its versions. */
export const runbookUses = entity({
  name: 'RUNBOOKUSE',
  schema: z.object({ id: z.string(), last_used_at: z.string() }),
  key: (of: Space & { id: string }) => ({ pk: operationsKey(of), sk: key('RBKUSE', of.id) }),
})
