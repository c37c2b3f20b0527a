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
  title: z.string().describe('A short title.'),
  kind: z
    .enum(['manual', 'action'])
    .describe('`action`: completing the task of the step requests this action for whoever completes it.'),
  instructions: z.string().optional().describe('How the step is done.'),
  node_id: z.string().optional().describe('Id of the node.'),
  action_id: z.string().optional().describe('Id of the action in its manifest.'),
  /** As JSON text, because the table keeps neither every number nor every depth. */
  payload_template: z.string().optional(),
  timeout_s: z.int().optional().describe('How long the step may take, in seconds: its task is due then.'),
})
export type Step = z.output<typeof Step>

export const Runbook = z.object({
  ...spaceMembers,
  /** Follows from the name, so all versions share it. */
  id: z.string().describe('The id, which never changes.'),
  name: z.string().describe('A name for people.'),
  description: z.string().optional().describe('A description for people.'),
  trigger: z
    .object({
      alert_rule_ids: z.array(z.string()).describe('Alert rules.'),
      severities: z.array(z.string()).describe('Severities.'),
    })
    .describe('The cause of the run.'),
  steps: z.array(Step),
  owner: z.string().optional().describe('Who keeps it up to date.'),
  runbook_version: z.int().describe('Version of the runbook.'),
  created_at: z.string().describe('When it was created.'),
  created_by: CREATOR.describe('The caller that created it.'),
  /** Everybody who could have written it. None of them approves what its steps run. */
  authors: z.array(z.string()),
})
export type Runbook = z.output<typeof Runbook>

const StepView = Step.extend({
  payload_template: freeForm
    .optional()
    .describe('Payload of the action; texts may hold look-ups such as `{{incident.id}}`.'),
})

export const RunbookView = Runbook.omit({ mode: true, authors: true }).extend({
  steps: z.array(StepView).describe('What is to be done, in order.'),
  built_in: z.boolean().describe('Whether every tenant has it.'),
  /** Null until an incident is linked to it. */
  last_used_at: z.string().nullable().describe('When it was last used, rounded to the hour.'),
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
  unbound: 'bounded',
  schema: Runbook,
  key: (of: Space & { id: string; runbook_version: number }) => ({
    pk: operationsKey(of),
    sk: key('RBK', of.id, padded(of.runbook_version, 6)),
  }),
})

/** When a runbook was last linked, of all its versions. */
export const runbookUses = entity({
  name: 'RUNBOOKUSE',
  unbound: 'bounded',
  schema: z.object({ id: z.string(), last_used_at: z.string() }),
  key: (of: Space & { id: string }) => ({ pk: operationsKey(of), sk: key('RBKUSE', of.id) }),
})
