// A run of the pipeline: collect, dataset, train, evaluate, snapshot, propose. It ends in proposals; what they change, people decide.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { lifecycle } from '../../ledger/evidence/artifact/lifecycle.ts'
import { notFound } from '../../base/lib/failure.ts'
import type { States } from '../../base/lib/states.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, key, type Stored } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import { freeForm } from '../../base/wire/fields.ts'
import { learningPartition } from '../routing/update.ts'
import { type ListQuery, type ListSource, paginate } from '../../base/wire/pagination.ts'

export const STAGES = ['collect', 'dataset', 'train', 'evaluate', 'snapshot', 'propose'] as const
export type StageName = (typeof STAGES)[number]

export const RUN_STATUSES = ['queued', 'running', 'succeeded', 'partial', 'failed'] as const
/** `partial`: some stage failed or was skipped for want of data, and the others went through. */
export const RUN_STATES: States<(typeof RUN_STATUSES)[number]> = {
  queued: ['running', 'failed'],
  running: ['succeeded', 'partial', 'failed'],
  succeeded: [],
  partial: [],
  failed: [],
}

export const Stage = z.object({
  name: z.enum(STAGES).describe('The name of the stage.'),
  status: z.enum(['waiting', 'running', 'succeeded', 'skipped', 'failed']).describe('The current state.'),
  started_at: z.string().nullable().describe('When it started.'),
  finished_at: z.string().nullable().describe('When it ended.'),
  output: freeForm.nullable().describe('Ids and figures of what the stage did.'),
  error: z
    .object({
      code: z.string().describe('The cause of the error, for programs.'),
      message: z.string().describe('A message for people.'),
    })
    .nullable()
    .describe('The cause of the error.'),
})
export type Stage = z.output<typeof Stage>

export const PipelineRun = z.object({
  ...resourceMembers,
  trigger: z.enum(['manual']).describe('The cause of the run.'),
  status: z.enum(RUN_STATUSES).describe('The current state.'),
  stages: z.array(Stage).describe('What became of each stage.'),
  dry_run: z.boolean().describe('Whether only to count what would be done.'),
  requested_by: z
    .object({
      type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
      id: z.string().describe('Id of the caller.'),
    })
    .describe('The caller that requested it.'),
  /** The caller who requested it may read evidence, which a dataset copies. */
  may_copy: z.boolean(),
  created_at: z.string().describe('When it was created.'),
  updated_at: z.string().describe('When it was last changed.'),
  /** The artifact of its request; it names everybody behind it. */
  request_artifact_id: z.string(),
  attempt: z.int(),
  due_at: z.string().optional(),
})
export type PipelineRun = z.output<typeof PipelineRun>

const KEPT_MS = 400 * 86_400_000

export const pipelineRuns = entity({
  name: 'PIPELINERUN',
  unbound: 'bounded',
  schema: PipelineRun,
  key: (of: Space & { id: string }) => ({ pk: learningPartition(of), sk: key('RUN', of.id) }),
  index: (item) => dueAt(item.due_at, item.id),
  ttl: ({ created_at }) => Math.floor((Date.parse(created_at) + KEPT_MS) / 1_000),
})

/** One item of each space, which lets one run be open at a time. */
export const pipelineHeads = entity({
  name: 'PIPELINEHEAD',
  unbound: 'bounded',
  schema: z.object({ ...spaceMembers, open: z.string().optional() }),
  key: (of: Space) => ({ pk: learningPartition(of), sk: 'PIPELINE' }),
})

export const isOpenRun = ({ status }: PipelineRun): boolean => status === 'queued' || status === 'running'

/** Throws 404. */
export async function findRun({ table, space }: Context, id: string) {
  const found = await table.get(pipelineRuns, { ...space, id })
  if (!found) throw notFound('pipeline run')
  return found
}

export const RunView = PipelineRun.pick({
  tenant_id: true,
  id: true,
  trigger: true,
  status: true,
  stages: true,
  dry_run: true,
  requested_by: true,
  created_at: true,
  updated_at: true,
})

/** The artifact of a new run has the id that the run names, and names everybody behind the request (`persons`). */
export const {
  begin: beginRun,
  move: moveRun,
  touch: touchRun,
} = lifecycle(pipelineRuns, RUN_STATES, {
  facts: (next, was, persons: readonly string[] = []) => ({
    ...(!was && { artifact_id: next.request_artifact_id }),
    type: 'learning.run.changed',
    subject: { type: 'pipeline_run', id: next.id },
    data: {
      from: was?.status ?? null,
      to: next.status,
      dry_run: next.dry_run,
      stages: next.stages.map(({ name, status }) => `${name}:${status}`),
      ...(!was && { persons: [...persons], may_copy: next.may_copy }),
    },
  }),
})

/** Newest first. */
export function listRuns(ctx: Context, query: ListQuery) {
  const list: ListSource<Stored<PipelineRun>, Space & { id: string }> = {
    of: pipelineRuns,
    groups: [{ name: 'all', partitions: [learningPartition(ctx.space)] }],
    from: 'RUN#',
    to: 'RUN#~',
  }
  return paginate(ctx, 'learning-list-runs', query, list)
}
