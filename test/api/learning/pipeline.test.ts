import { beforeEach, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { learning } from '../../../functions/learning/routes.ts'
import { training } from '../../../functions/training/routes.ts'
import type { JsonObject } from '../../../shared/base/wire/parse-body.ts'
import type { Stage, StageName } from '../../../shared/learn/pipeline/run.ts'
import { STAGE } from '../../../shared/learn/pipeline/stages.ts'
import { storedDataset } from '../../support/dataset-files.ts'
import { newPipelineRun } from '../../support/pipeline-run.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

let acme: Governed
beforeEach(async () => {
  acme = await governed(local, [
    { action_id: 'get_contact' },
    { action_id: 'update_contact', undo_action_id: 'restore_contact' },
    { action_id: 'restore_contact' },
  ])
})

const newest = async () => bodyOf(await acme.call(learning.listRuns), 200).items[0]
const start = (body: object = {}) => acme.call(learning.startRun, { body })
async function run(body: object = {}) {
  bodyOf(await start(body), 202)
  for (let minutes = 0; minutes < 4; minutes += 1) {
    await local.drain()
    await local.advance(61_000)
    await local.sweep()
  }
  await local.drain()
  return newest()
}
const outcomes = ({ stages }: { stages: { name: string; status: string }[] }) =>
  Object.fromEntries(stages.map(({ name, status }) => [name, status]))
const updates = async () => bodyOf(await acme.call(learning.listRoutingUpdates), 200).items

/** One run of it breaks a policy of high severity, which calls for a stricter tier. */
async function breakRule(): Promise<void> {
  const forbids = { name: 'Not now', effect: 'forbid', severity: 'high', scope: { action_ids: ['update_contact'] } }
  const { policy_id } = await acme.policy(forbids)
  await acme.execute('update_contact')
  await acme.policy({ ...forbids, policy_id, version: 1, enabled: false })
  await local.drain()
}

describe('POST /api/v1/learning/pipeline/run', () => {
  test('202: goes through its stages and says why it leaves out some', async () => {
    await acme.execute('get_contact')
    await local.drain()
    const ended = await run()

    expect(outcomes(ended)).toMatchObject({
      collect: 'succeeded',
      train: 'skipped',
      evaluate: 'skipped',
      snapshot: 'succeeded',
      propose: 'succeeded',
    })
    expect(ended).toMatchObject({ status: 'partial' })
    expect(ended.stages.find(({ name }: { name: string }) => name === 'train').output.reason).toContain('200')
  })

  test('202: what it proposes waits for people, and whoever started it does not approve it', async () => {
    await breakRule()
    const owner = await signIn(local, acme.owner)
    bodyOf(await owner.call(learning.startRun, { body: { stages: ['snapshot', 'propose'] } }), 202)
    for (let minutes = 0; minutes < 3; minutes += 1) {
      await local.drain()
      await local.advance(61_000)
      await local.sweep()
    }
    await local.drain()
    const [update] = await updates()

    expect(await newest()).toMatchObject({ status: 'succeeded' })
    expect(update).toMatchObject({
      status: 'proposed',
      action_id: 'update_contact',
      from: 'SOFT',
      to: 'HARD',
      source: 'learning',
      evidence: { reason: 'bad_record' },
    })
    const approve = (by: Pick<typeof owner, 'call'>) =>
      by.call(approvals.approve, { params: { id: update.approval_id }, body: { reason: 'I looked.' } })
    expect((await approve(owner)).status).toBe(403)
    expect((await approve(await signIn(local, acme.approver))).status).toBe(200)
  })

  test('202: a dry run writes nothing but itself', async () => {
    await breakRule()
    const ended = await run({ dry_run: true })

    expect(outcomes(ended)).toMatchObject({ dataset: 'skipped', train: 'skipped', propose: 'succeeded' })
    expect(ended.stages.at(-1).output.would_propose).toEqual([
      expect.objectContaining({ action_id: 'update_contact', to: 'HARD' }),
    ])
    expect(await updates()).toEqual([])
    expect((await acme.call(learning.latest)).status).toBe(404)
  })

  test('trains a model, and holds it against the deployed one on the same rows', async () => {
    const rows = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ payload: { amount: (n * 37) % 300 }, approved: (n * 37) % 300 < 100 }))
    const { id: dataset_id } = await storedDataset(acme.ctx, rows(300), rows(120))
    const stage = (name: StageName, output: JsonObject): Stage => ({
      name,
      status: 'succeeded',
      started_at: null,
      finished_at: null,
      output,
      error: null,
    })
    const before = [stage('collect', { judged: 200 }), stage('dataset', { dataset_id })]
    let asked = newPipelineRun(acme.ctx)
    const ask = (name: StageName, stages: Stage[], output: JsonObject = {}) =>
      STAGE[name](acme.ctx, { run: { ...asked, stages }, output, affectedNodes: async () => [] })
    const trained = async () => {
      asked = newPipelineRun(acme.ctx)
      const waits = await ask('train', before)
      expect(await ask('train', before), 'of a worker that died before it stored the job').toEqual(waits)
      expect(waits).toMatchObject({ status: 'wait', output: { job_id: expect.stringMatching(/^job_/) } })
      await local.drain()
      const { status, output } = await ask('train', before, waits.output)
      expect(status).toBe('succeeded')
      const compared = await ask('evaluate', [...before, stage('train', output)])
      const { model_id } = output as { model_id: string } // of a stage that succeeded
      return { model_id, compared: compared.output }
    }

    const { model_id, compared } = await trained()
    expect(compared).toMatchObject({
      quality_gate: 'passed',
      candidate: { model_id, rows: 120 },
      deployed: null,
      better: true,
    })
    const deployment = bodyOf(await acme.call(training.deployModel, { params: { model_id }, body: {} }), 202)
    bodyOf(await acme.approve(deployment.approval_id), 200)
    await local.advance(61_000)
    await local.sweep()

    const { compared: again } = await trained()
    expect(again).toMatchObject({ deployed: { model_id, rows: 120 }, better: false })
    expect(again.deployed).toEqual({ ...Object(again.candidate), model_id })
  })

  test('409: while another run is open', async () => {
    bodyOf(await start({ stages: ['collect'] }), 202)
    expect((await start()).status).toBe(409)

    await local.drain()
    bodyOf(await start({ stages: ['collect'] }), 202)
    expect(await newest()).toMatchObject({ status: 'queued' })
  })

  test('422: a stage that is not known, or named twice', async () => {
    expect((await start({ stages: ['deploy'] })).status).toBe(422)
    expect((await start({ stages: ['collect', 'collect'] })).status).toBe(422)
  })
})
