// Stores a runbook: the first version of a name, or the next one.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import { displayName, freeForm, id, optional, plainText } from '../../base/wire/fields.ts'
import { NODE_ID } from '../../govern/manifests/node.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { SEVERITIES } from '../definitions/severity.ts'
import { oneMore } from '../definitions/definition.ts'
import { latestRunbook, type Runbook, runbookId, runbookVersions, type Step } from './runbook.ts'
import { lookupsOf, unknownLookups } from './template.ts'

const RUNBOOKS_MAX = 100
/** A filled payload stands in an item of the table, too. */
const TEMPLATE_BYTES_MAX = 8_192
const LOOKUPS_MAX = 100

const StepInput = z
  .strictObject({
    title: displayName(200).describe('A short title.'),
    kind: z
      .enum(['manual', 'action'])
      .default('manual')
      .describe('`action`: completing the task of the step requests this action for whoever completes it.'),
    instructions: optional(z.string().max(4_000)).describe('How the step is done.'),
    node_id: optional(z.string().max(128).regex(NODE_ID, 'must match namespace.category.name')).describe(
      'Id of the node.',
    ),
    action_id: optional(plainText(128)).describe('Id of the action in its manifest.'),
    payload_template: optional(freeForm).describe(
      'Payload of the action; texts may hold look-ups such as `{{incident.id}}`.',
    ),
    timeout_s: optional(z.int().min(1).max(86_400)).describe(
      'How long the step may take, in seconds: its task is due then.',
    ),
  })
  .superRefine(({ kind, node_id, action_id, payload_template }, issues) => {
    const refuse = (path: string, message: string) => issues.addIssue({ code: 'custom', path: [path], message })
    if (kind === 'action' && !node_id) refuse('node_id', 'must be given for a step of kind action.')
    if (kind === 'action' && !action_id) refuse('action_id', 'must be given for a step of kind action.')
    if (kind === 'manual' && (node_id ?? action_id ?? payload_template))
      refuse('kind', 'must be action for a step that runs one.')
    for (const name of unknownLookups(payload_template))
      refuse('payload_template', `knows no {{${name.slice(0, 64)}}}.`)
    if (Buffer.byteLength(JSON.stringify(payload_template ?? {})) > TEMPLATE_BYTES_MAX)
      refuse('payload_template', `must not exceed ${TEMPLATE_BYTES_MAX} bytes.`)
    if (lookupsOf(payload_template).length > LOOKUPS_MAX)
      refuse('payload_template', `must not hold more than ${LOOKUPS_MAX} look-ups.`)
  })

export const RunbookInput = z.strictObject({
  name: displayName(100).describe('A name for people.'),
  description: optional(z.string().max(4_000)).describe('A description for people.'),
  trigger: z
    .strictObject({
      alert_rule_ids: z.array(id).max(50).default([]).describe('Alert rules.'),
      severities: z.array(z.enum(SEVERITIES)).max(4).default([]).describe('Severities.'),
    })
    .default({ alert_rule_ids: [], severities: [] })
    .describe('The cause of the run.'),
  steps: z.array(StepInput).min(1).max(50).describe('What is to be done, in order.'),
  owner: optional(plainText(200)).describe('Who keeps it up to date.'),
})
export type RunbookInput = z.output<typeof RunbookInput>

/**
 * Stores the first version, or the next one of a runbook of that name; open incidents keep the version that they were linked to.
 * Throws 409 when another request made it at the same time, and for one runbook too many. Its authors are the people of the
 * request, never a list in the body, since authors cannot approve its actions.
 */
export async function createRunbook(ctx: Context, input: RunbookInput): Promise<Runbook> {
  const of = runbookId(ctx.space, input.name)
  const was = await latestRunbook(ctx, of)
  const runbook: Runbook = {
    ...ctx.space,
    id: of,
    ...input,
    steps: input.steps.map(stored),
    authors: [...ctx.principal.persons],
    runbook_version: (was?.runbook_version ?? 0) + 1,
    created_at: iso(ctx.now()),
    created_by: { type: ctx.principal.kind, id: ctx.principal.id },
  }
  const full = conflict(`You have ${RUNBOOKS_MAX} runbooks already. Post a new version of one of them instead.`)
  const counted = was ? [] : [oneMore(ctx.space, 'RBK', RUNBOOKS_MAX, full)]
  const lost = conflict(
    'Another request made this version at the same time. Read the runbook again, then repeat your change.',
  )
  const { runbook_version, steps, authors } = runbook
  const data = { runbook_version, steps: steps.length, digest: sha256Hex(canonicalJson({ steps, authors })) }
  const traces = changed(ctx, [
    {
      action: 'runbook.created',
      artifact: 'runbook.created',
      subject: { type: 'runbook', id: of, name: runbook.name },
      data,
    },
  ])
  await ctx.table.commit([...counted, runbookVersions.insert(runbook, lost), ...traces], of)
  return runbook
}

const stored = ({ payload_template, ...step }: RunbookInput['steps'][number]): Step => ({
  ...step,
  ...(payload_template && { payload_template: JSON.stringify(payload_template) }),
})
