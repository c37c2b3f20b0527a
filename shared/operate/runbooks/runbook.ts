// A runbook: the steps by which people bring an incident to its end. Posting one again under its name makes the next version; an
// incident keeps the version that it was linked to.
import * as z from 'zod'
import { spaceMembers } from '../../base/table/members.ts'
import type { Context, Space } from '../../base/context.ts'
import { entity, key, padded } from '../../base/table/entity.ts'
import { builtIn, builtInId, burnRuleName, CREATOR, operationsKey } from '../definitions/definition.ts'
import { freeForm } from '../../base/wire/fields.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { invalid } from '../../base/lib/failure.ts'

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

const RUNBOOK_PREFIX = 'RBK#'

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

const manual = (title: string, instructions: string): Step => ({ title, kind: 'manual', instructions })

type Given = Pick<Runbook, 'name' | 'description' | 'steps'> & {
  /** Names of rules that come with the service. */
  rules: (space: Space) => readonly string[]
}

const RUNBOOKS: readonly Given[] = [
  {
    name: 'broken-evidence-chain',
    description: 'What to do when the evidence chain does not verify.',
    rules: () => ['evidence-chain-broken'],
    steps: [
      manual(
        'Stop exports and deletions',
        'Tell everybody with access to the table and the buckets to change nothing.',
      ),
      manual(
        'Verify the chain in full',
        'Call POST /api/v1/evidence/verify with full: true. Note the positions that it names as broken or missing.',
      ),
      manual(
        'Compare with the signed checkpoints',
        'Checkpoints lie in the evidence bucket under Object Lock. Restore the items from a backup that still verifies.',
      ),
      manual(
        'Find out who changed them',
        'CloudTrail names who wrote to the table past the service. Revoke that access.',
      ),
    ],
  },
  {
    name: 'service-unavailable',
    description: 'What to do when requests fail faster than the objective allows.',
    rules: (space) => [burnRuleName(builtInId('slo', space, 'api-availability'))],
    steps: [
      manual('Find the failing part', 'Call GET /api/health/detailed and read which component is not healthy.'),
      manual(
        'Look for a recent change',
        'Compare the time of the first failures with deployments and with AWS Health.',
      ),
      manual(
        'Tell those who depend on it',
        'Post the incident where your users look, and when you expect the next news.',
      ),
    ],
  },
]

export const builtInRunbooks = (space: Space): Runbook[] =>
  RUNBOOKS.map(({ rules, ...given }) => {
    const { updated_at, ...common } = builtIn('rbk', space, given.name)
    const alert_rule_ids = rules(space).map((name) => builtInId('rul', space, name))
    return { ...common, ...given, trigger: { alert_rule_ids, severities: [] }, runbook_version: 1, authors: [] }
  })

type Reader = Pick<Context, 'table' | 'space'>

/** The newest version of a runbook, built-in ones included. */
export async function latestRunbook({ table, space }: Reader, id: string): Promise<Runbook | undefined> {
  const from = `${key('RBK', id)}#`
  const [newest] = await table.query(runbookVersions, {
    pk: operationsKey(space),
    from,
    to: `${from}~`,
    descending: true,
    limit: 1,
  })
  return newest ?? builtInRunbooks(space).find((runbook) => runbook.id === id)
}

/** One version, built-in ones included. */
export async function runbookOf({ table, space }: Reader, of: { id: string; runbook_version: number }) {
  const stored = await table.get(runbookVersions, { ...space, ...of })
  return (
    stored ??
    builtInRunbooks(space).find(({ id, runbook_version }) => id === of.id && runbook_version === of.runbook_version)
  )
}

/** Throws 422 at the member of the body that names it. */
export async function mustBeRunbook(ctx: Reader, id: string): Promise<Runbook> {
  const found = await latestRunbook(ctx, id)
  if (!found) throw invalid(['runbook_id'], 'must be a runbook of this tenant.')
  return found
}

/** The newest version of each, in the order of their names. */
export async function allRunbooks({ table, space }: Reader) {
  const pk = operationsKey(space)
  const [stored, uses] = await Promise.all([
    table.query(runbookVersions, { pk, from: RUNBOOK_PREFIX, to: `${RUNBOOK_PREFIX}~` }),
    table.keys({ pk, from: 'RBKUSE#', to: 'RBKUSE#~' }).then((keys) => table.read(runbookUses, keys)),
  ])
  const given = builtInRunbooks(space)
  // Versions of one runbook follow each other, so the last one stays.
  const newest = new Map([...given, ...stored].map((runbook) => [runbook.id, runbook]))
  const usedAt = new Map(uses.map(({ id, last_used_at }) => [id, last_used_at]))
  return [...newest.values()]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((runbook) => ({
      ...runbook,
      built_in:
        given.some(({ id }) => id === runbook.id) &&
        runbook.runbook_version === 1 &&
        runbook.created_by.type === 'system',
      last_used_at: usedAt.get(runbook.id) ?? null,
    }))
}

/** The runbook whose trigger names a rule or its severity; undefined where none does. */
export async function runbookForRule(
  ctx: Reader,
  { id, severity }: { id: string; severity: string },
): Promise<Runbook | undefined> {
  const all = await allRunbooks(ctx)
  return (
    all.find(({ trigger }) => trigger.alert_rule_ids.includes(id)) ??
    all.find(({ trigger }) => trigger.severities.includes(severity))
  )
}
