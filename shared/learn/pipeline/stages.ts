// What each stage of the pipeline does. A stage that waits for another worker answers `wait` and is asked again.
import { DAY_MS } from '../../base/lib/clock.ts'
import { type Context, SYSTEM } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { AffectedNodes } from '../../base/ports/effects.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'
import { readSequenced } from '../../ledger/evidence/chain/read-sequenced.ts'
import { USUAL_SLOT } from '../../govern/learned/learned.ts'
import { readDataset } from '../datasets/dataset-view.ts'
import { GenerationBody, requestGeneration } from '../generation/request-generation.ts'
import { compare } from '../jobs/read-rows.ts'
import { createJob, JobInput } from '../jobs/create-job.ts'
import { findJob, hasEnded, jobs } from '../jobs/job.ts'
import { proposeUpdate } from '../routing/propose-update.ts'
import { compute } from '../snapshots/compute.ts'
import { readObserved } from '../snapshots/read-observed.ts'
import { requestSnapshot } from '../snapshots/request-snapshot.ts'
import { bodyOf, type Body, findSnapshot, isOpenSnapshot, latestSnapshot } from '../snapshots/snapshot.ts'
import type { PipelineRun, StageName } from './run.ts'

/** `output` of a stage that waits is given to it again. */
export type Outcome = { status: 'wait' | 'succeeded' | 'skipped'; output: JsonObject }
type Asked = { run: PipelineRun; output: JsonObject; affectedNodes: AffectedNodes }

const WINDOW_DAYS = 30
/** A model of fewer decisions says more about chance than about people. */
const JUDGED_MIN = 200

const skipped = (reason: string): Outcome => ({ status: 'skipped', output: { reason } })
const outputOf = ({ stages }: PipelineRun, name: StageName): JsonObject =>
  stages.find((stage) => stage.name === name)?.output ?? {}

export const STAGE: Record<StageName, (ctx: Context, asked: Asked) => Promise<Outcome>> = {
  collect: async (ctx) => {
    const { actions, unproven } = await observed(ctx)
    const all = [...actions.values()].flatMap((one) => one.observed)
    const judged = all.filter(
      ({ decided, status, feedback }) => decided || status === 'undone' || feedback.good + feedback.bad > 0,
    )
    return { status: 'succeeded', output: { executions: all.length, judged: judged.length, unproven } }
  },

  dataset: async (ctx, { run, output }) => {
    if (run.dry_run) return skipped('dry_run')
    const { may_copy } = await requestOf(ctx, run)
    if (!may_copy) return skipped('whoever asked for the run may not read evidence')
    if (typeof output.dataset_id !== 'string') {
      const body = GenerationBody.parse({ name: 'pipeline', format: 'kto' })
      const { id } = await requestGeneration(asReader(ctx), body)
      return { status: 'wait', output: { dataset_id: id } }
    }
    const { status, error } = await readDataset(ctx, output.dataset_id)
    if (status === 'ready') return { status: 'succeeded', output }
    if (error) throw new Failure('invalid', error.message)
    return { status: 'wait', output }
  },

  train: async (ctx, { run, output }) => {
    if (run.dry_run) return skipped('dry_run')
    const [{ judged }, { dataset_id }] = [outputOf(run, 'collect'), outputOf(run, 'dataset')]
    if (typeof judged !== 'number') return skipped('nothing was collected')
    if (judged < JUDGED_MIN) return skipped(`${judged} judged samples; at least ${JUDGED_MIN} are needed`)
    if (typeof dataset_id !== 'string') return skipped('there is no dataset')
    if (typeof output.job_id !== 'string') {
      const job_id = run.id.replace(/^plr_/, 'job_') // so that a worker that dies here starts no second one
      const input = JobInput.parse({ name: USUAL_SLOT, type: 'approval', dataset_id })
      if (!(await ctx.table.get(jobs, { ...ctx.space, id: job_id }))) await createJob(ctx, input, job_id)
      return { status: 'wait', output: { job_id } }
    }
    const { id: job_id, status, progress, model_id, error } = await findJob(ctx, output.job_id)
    if (!hasEnded(status)) return { status: 'wait', output: { job_id, progress } }
    if (model_id !== undefined) return { status: 'succeeded', output: { job_id, model_id } }
    throw new Failure('invalid', error?.message ?? `The job ${job_id} is ${status}.`)
  },

  evaluate: async (ctx, { run }) => {
    if (run.dry_run) return skipped('dry_run')
    const { job_id, model_id } = outputOf(run, 'train')
    if (typeof job_id !== 'string' || typeof model_id !== 'string') return skipped('no model was trained')
    return { status: 'succeeded', output: await compare(ctx, await findJob(ctx, job_id)) }
  },

  snapshot: async (ctx, { run, output, affectedNodes }) => {
    if (run.dry_run) return { status: 'succeeded', output: summary(await imagined(ctx, affectedNodes)) }
    if (typeof output.snapshot_id !== 'string') {
      const { snapshot } = await requestSnapshot(ctx, {
        trigger: 'pipeline',
        window_days: WINDOW_DAYS,
        node_id: undefined,
      })
      return { status: 'wait', output: { snapshot_id: snapshot.id } }
    }
    const snapshot = await findSnapshot(ctx, output.snapshot_id)
    if (isOpenSnapshot(snapshot)) return { status: 'wait', output }
    const body = bodyOf(snapshot)
    if (!body) throw new Failure('invalid', snapshot.error?.message ?? 'The snapshot has no content.')
    return { status: 'succeeded', output: { ...output, ...summary(body) } }
  },

  propose: async (ctx, { run, affectedNodes }) => {
    if (run.dry_run)
      return { status: 'succeeded', output: { would_propose: suggestions(await imagined(ctx, affectedNodes)) } }
    const latest = await latestSnapshot(ctx, 'latest_full')
    const body = latest && bodyOf(latest)
    if (!latest || !body) return skipped('there is no snapshot')
    return { status: 'succeeded', output: await proposeAll(ctx, run, { snapshot_id: latest.id, body }) }
  },
}

const observed = (ctx: Context) => readObserved(ctx, { from: ctx.now() - WINDOW_DAYS * DAY_MS, to: ctx.now() })

/** The content that a snapshot of now would have. */
async function imagined(ctx: Context, affectedNodes: AffectedNodes): Promise<Body> {
  const [window, former, affected] = await Promise.all([
    observed(ctx),
    latestSnapshot(ctx, 'latest_full'),
    affectedNodes(ctx, ctx.now() - WINDOW_DAYS * DAY_MS),
  ])
  return compute(ctx, window, { former: former && bodyOf(former), incident: (node) => affected.includes(node) })
}

const summary = (body: Body): JsonObject => ({ actions: body.actions.length, suggestions: suggestions(body).length })

const suggestions = ({ actions }: Body) =>
  actions.flatMap(({ node_id, action_id, suggested_tier: to, reason }) =>
    to === null ? [] : { node_id, action_id, to, reason: reason ?? '' },
  )

/** The people who requested the run, as its evidence names them, are authors of its proposals: none of them can approve one. */
async function proposeAll(ctx: Context, run: PipelineRun, { snapshot_id, body }: { snapshot_id: string; body: Body }) {
  const { persons } = await requestOf(ctx, run)
  const proposing: Context = { ...ctx, principal: { ...SYSTEM, persons } }
  const proposed: string[] = []
  const refused: JsonObject[] = []
  for (const { node_id, action_id, to, reason } of suggestions(body)) {
    const action = body.actions.find((one) => one.node_id === node_id && one.action_id === action_id)
    const { n, rate, ci95 } = action?.quality.careful ?? { n: 0, rate: null, ci95: null }
    try {
      const update = await proposeUpdate(proposing, {
        type: 'tier_change',
        node_id,
        action_id,
        to,
        rationale: `The snapshot ${snapshot_id} suggests it: ${reason}.`,
        evidence: { snapshot_id, n, rate, ci95, reason },
        source: 'learning',
      })
      proposed.push(update.id)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      refused.push({ node_id, action_id, reason: error.message })
    }
  }
  return { proposed, refused }
}

/** The people who requested the run, from the chain: the row could be rewritten to name nobody. */
async function requestOf(ctx: Context, { id, request_artifact_id }: PipelineRun) {
  const header = await readSequenced(ctx, request_artifact_id)
  const isIts =
    header?.type === 'learning.run.changed' && header.subject?.id === id && header.chain === chainName(ctx.space)
  if (!isIts) throw new Failure('invalid', 'The evidence does not show who asked for this run.')
  const persons = Array.isArray(header.data?.persons)
    ? header.data.persons.filter((one) => typeof one === 'string')
    : []
  return { persons, may_copy: header.data?.may_copy === true }
}

/** In the name of the run, whose starter may read evidence. */
const asReader = (ctx: Context): Context => ({
  ...ctx,
  principal: { ...SYSTEM, permissions: new Set(['evidence:read'] as const) },
})
