import { describe, expect, test } from 'vitest'
import { training } from '../../../functions/training/routes.ts'
import { createContext } from '../../../shared/base/context.ts'
import { learnedItems } from '../../../shared/govern/learned/learned.ts'
import { activeGovernance } from '../../../shared/govern/governance/governance.ts'
import { undoExecution } from '../../../shared/govern/protocol/undo.ts'
import { executions } from '../../../shared/govern/executions/execution.ts'
import { models } from '../../../shared/learn/models/model.ts'
import type { NewModel } from '../../../shared/learn/models/register-model.ts'
import { requestRollback } from '../../../shared/learn/models/request-rollback.ts'
import { permissionsOfRoles } from '../../../shared/base/catalog/permissions.ts'
import { sha256Hex } from '../../../shared/base/lib/json.ts'
import { modelKey, putObject } from '../../../shared/learn/jobs/complete-job.ts'
import { storedDataset } from '../../support/dataset-files.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { deployedModel, trainedModel } from './deployed-model.ts'

const local = useLocalStack()

const trained = (tenant: Governed, bias?: number, over?: Partial<NewModel>) => trainedModel(tenant, over, bias)
const deployed = (tenant: Governed, bias?: number) => deployedModel(local, tenant, {}, bias)

const deploy = ({ call }: Governed, model_id: string, body: object = {}) =>
  call(training.deployModel, { params: { model_id }, body })

async function statesOf({ call }: Governed): Promise<Record<string, string>> {
  const { items } = bodyOf(await call(training.listModels), 200)
  return Object.fromEntries(items.map(({ id, status }: { id: string; status: string }) => [id, status]))
}

const inSlot = async ({ ctx }: Governed) =>
  (await ctx.table.get(learnedItems, ctx.space))?.slots['approval-scorer']?.model_id

describe('a deployment', () => {
  test('waits for a person, is carried out by the sweeper, and retires the former model', async () => {
    const tenant = await governed(local)
    const { id } = await trained(tenant)

    const asked = bodyOf(await deploy(tenant, id), 202)
    expect(asked).toMatchObject({ model_id: id, status: 'pending_approval' })
    expect(await statesOf(tenant)).toEqual({ [id]: 'pending_approval' })
    expect(await inSlot(tenant)).toBeUndefined()
    bodyOf(await tenant.approve(asked.approval_id), 200)
    expect(await statesOf(tenant)).toEqual({ [id]: 'deploying' })
    await local.advance(61_000)
    await local.sweep()

    expect(await statesOf(tenant)).toEqual({ [id]: 'deployed' })
    expect(await inSlot(tenant)).toBe(id)
    const next = await deployed(tenant)
    expect(await statesOf(tenant)).toEqual({ [id]: 'retired', [next]: 'deployed' })
    const { items } = bodyOf(await tenant.call(training.listModels), 200)
    expect(items[0]).toMatchObject({ id: next, model_version: 2, previous_model_id: id, approved: true })
    expect(items[0].slot_history.map(({ to }: { to: string }) => to)).toEqual(['deployed', 'deployed'])
  })

  test.each([
    ['is rejected', (tenant: Governed, id: string) => tenant.reject(id)],
    [
      'expires',
      async () => {
        await local.advance(25 * 3_600_000)
        await local.sweep()
      },
    ],
  ])('that %s gives the model and its slot back', async (_, end) => {
    const tenant = await governed(local)
    const { id } = await trained(tenant)
    const { approval_id } = bodyOf(await deploy(tenant, id), 202)

    await end(tenant, approval_id)

    expect(await statesOf(tenant)).toEqual({ [id]: 'registered' })
    bodyOf(await deploy(tenant, id), 202)
  })

  test('is one at a time in a slot', async () => {
    const tenant = await governed(local)
    const [one, two] = [await trained(tenant), await trained(tenant)]
    bodyOf(await deploy(tenant, one.id), 202)

    expect(await deploy(tenant, two.id)).toMatchObject({ status: 409 })
    expect(await deploy(tenant, one.id)).toMatchObject({ status: 409 })
  })

  test('without a passed quality gate says why', async () => {
    const tenant = await governed(local)
    const { id } = await trained(tenant, 4, { quality_gate: 'failed' })

    expect(await deploy(tenant, id)).toMatchObject({ status: 409 })
    bodyOf(await deploy(tenant, id, { override_reason: 'measured elsewhere' }), 202)
  })

  test('of a model that a job trained here loads its file and tests it', async () => {
    const tenant = await governed(local)
    const rows = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ payload: { amount: (n * 37) % 300 }, approved: (n * 37) % 300 < 100 }))
    const dataset = await storedDataset(tenant.ctx, rows(300), rows(120))
    const body = { name: 'approval-scorer', type: 'approval' as const, dataset_id: dataset.id }
    const { id: job_id } = bodyOf(await tenant.call(training.createJob, { body }), 202)
    await local.drain()
    const { model_id } = bodyOf(await tenant.call(training.getJob, { params: { job_id } }), 200)
    bodyOf(await tenant.approve(bodyOf(await deploy(tenant, model_id), 202).approval_id), 200)
    await local.advance(61_000)
    await local.sweep()

    expect(await statesOf(tenant)).toEqual({ [model_id]: 'deployed' })
    expect(await inSlot(tenant)).toBe(model_id)
  })

  /** With a file that says what the model said of one row without features. */
  const withPrediction = async ({ ctx }: Governed, p: number, sha256?: string) => {
    const [uri, text] = [`${modelKey(ctx, ctx.id('mdl'))}.predictions.ndjson`, JSON.stringify({ p, features: NONE })]
    await putObject(uri, text, 'application/x-ndjson')
    return { predictions: { uri, sha256: sha256 ?? sha256Hex(text) } }
  }
  const NONE = { indices: [], values: [] }
  const OTHER = 'f'.repeat(64)

  test.each<[string, string, (tenant: Governed) => Promise<Partial<NewModel>> | Partial<NewModel>]>([
    [
      'model_unreadable',
      'a file of another tenant',
      () => ({ artifact: { uri: 'models/ten_other/live/mdl_1', sha256: OTHER, bytes: 1, format: 'x' } }),
    ],
    ['model_unreadable', 'predictions that were changed', (tenant) => withPrediction(tenant, 0.98, OTHER)],
    ['self_test_failed', 'another answer than in training', (tenant) => withPrediction(tenant, 0.1)],
  ])('fails with %s and changes no slot: %s', async (code, _, over) => {
    const tenant = await governed(local)
    const { id } = await trained(tenant, 4, await over(tenant))
    const { approval_id } = bodyOf(await deploy(tenant, id), 202)
    bodyOf(await tenant.approve(approval_id), 200)
    for (let minute = 0; minute < 4; minute += 1) {
      await local.advance(61_000)
      await local.sweep()
    }

    expect(await statesOf(tenant)).toEqual({ [id]: 'failed' })
    expect(await inSlot(tenant)).toBeUndefined()
    const { items } = bodyOf(await tenant.call(training.listModels), 200)
    expect(items[0].error.code).toBe(code)
  })

  test('is carried out only if the chain proves its approval', async () => {
    const tenant = await governed(local)
    const { table } = tenant.ctx
    const [was, { execution_id }] = [await trained(tenant), await trained(tenant)]
    const due_at = new Date(local.clock.now()).toISOString()
    const forged = { ...was, status: 'deploying' as const, approved: true as const, execution_id, due_at, attempts: 2 }
    await table.commit([models.replace(forged, was)])
    await local.advance(61_000)
    await local.sweep()

    const { items } = bodyOf(await tenant.call(training.listModels), 200)
    expect(items.find(({ id }: { id: string }) => id === was.id)).toMatchObject({
      status: 'failed',
      error: { code: 'not_approved' },
    })
    expect(await inSlot(tenant)).toBeUndefined()
  })

  test('is asked for at its endpoint alone', async () => {
    const tenant = await governed(local)
    const body = { node_id: 'platform.models.registry', action_id: 'deploy', payload: {} }

    expect(await tenant.execute('deploy', body)).toMatchObject({ status: 422 })
  })
})

describe('a rollback', () => {
  const back = (tenant: Governed, model_id: string) =>
    tenant.call(training.rollbackModel, { params: { model_id }, body: { reason: 'holds too much' } })

  test('by a key waits for a person', async () => {
    const tenant = await governed(local)
    const [former, now] = [await deployed(tenant), await deployed(tenant)]

    const asked = bodyOf(await back(tenant, now), 202)

    expect(await inSlot(tenant)).toBe(now)
    bodyOf(await tenant.approve(asked.approval_id), 200)
    expect(await inSlot(tenant)).toBe(former)
    expect(await statesOf(tenant)).toEqual({ [former]: 'deployed', [now]: 'rolled_back' })
  })

  test('by a person happens at once, and can be undone for 30 seconds', async () => {
    const tenant = await governed(local)
    const [former, now] = [await deployed(tenant), await deployed(tenant)]
    const person = createContext({
      space: tenant.ctx.space,
      principal: {
        kind: 'user',
        credential: 'session',
        id: tenant.approver.id,
        persons: [tenant.approver.id],
        roles: ['owner'],
        permissions: permissionsOfRoles(['owner']),
      },
      request: { ...tenant.ctx.request, at: local.clock.now() },
    })

    const { execution } = await requestRollback(person, now, { reason: 'holds too much', to_model_id: undefined })

    expect(execution).toMatchObject({ status: 'executed', undo_until: expect.any(String) })
    expect(await inSlot(tenant)).toBe(former)
    const governance = await activeGovernance(tenant.ctx.table, tenant.ctx.space)
    expect(await undoExecution(person, governance, execution.id, {})).toMatchObject({ status: 200 })
    expect(await inSlot(tenant)).toBe(now)
    expect(await statesOf(tenant)).toEqual({ [former]: 'retired', [now]: 'deployed' })
  })

  test('does not bring back a model of which only the table says that people approved it', async () => {
    const tenant = await governed(local)
    const { table, space } = tenant.ctx
    const [real, now] = [await deployed(tenant), await deployed(tenant)]
    const { id: forged } = await trained(tenant, 1)
    const item = async (id: string) => {
      const found = await table.get(models, { ...space, id })
      if (!found) throw new Error(`no model ${id}`)
      return found
    }
    const { execution_id, approval_id, evidence_artifact_id } = await item(real)
    const proof = { execution_id, approval_id, evidence_artifact_id }
    const was = await item(forged)
    await table.commit([models.replace({ ...was, ...proof, status: 'retired', approved: true }, was)])
    const to = (to_model_id: string) =>
      tenant.call(training.rollbackModel, {
        params: { model_id: now },
        body: { reason: 'lets more through', to_model_id },
      })
    expect((await to(forged)).status).toBe(409)

    const asked = bodyOf(await to(real), 202)
    const former = await item(real)
    await table.commit([models.replace({ ...former, artifact: was.artifact }, former)])
    expect((await tenant.approve(asked.approval_id)).status).toBe(409)
    expect(await inSlot(tenant)).toBe(now)
  })

  test('brings back a model whose approval has lost its payload', async () => {
    const tenant = await governed(local)
    const { table, space } = tenant.ctx
    const [former, now] = [await deployed(tenant), await deployed(tenant)]
    const { execution_id = '' } = (await table.get(models, { ...space, id: former })) ?? {}
    const was = await table.get(executions, { ...space, id: execution_id })
    if (!was) throw new Error('no execution')
    await table.commit([executions.replace({ ...was, payload: undefined }, was)])

    const asked = bodyOf(await back(tenant, now), 202)
    bodyOf(await tenant.approve(asked.approval_id), 200)
    expect(await inSlot(tenant)).toBe(former)
  })

  test('needs a model to return to', async () => {
    const tenant = await governed(local)
    const only = await deployed(tenant)

    expect(await back(tenant, only)).toMatchObject({ status: 409 })
    expect(await back(tenant, 'mdl_01JD3Q8Z5NR6D8F0H2J4L6N8Q0')).toMatchObject({ status: 404 })
  })
})

test('a model that was made elsewhere is registered without a quality gate', async () => {
  const tenant = await governed(local)
  const artifact = { uri: 's3://elsewhere/1', sha256: 'a'.repeat(64), bytes: 9, format: 'safetensors' }

  const made = bodyOf(
    await tenant.call(training.registerModel, { body: { name: 'writer', type: 'sft', artifact } }),
    201,
  )

  expect(made).toMatchObject({ model_version: 1, status: 'registered', quality_gate: 'none', approved: false })
})
