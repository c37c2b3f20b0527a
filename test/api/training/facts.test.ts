// What compliance checks are told of models and datasets.
import { beforeAll, describe, expect, test } from 'vitest'
import { models as rules } from '../../../shared/assure/checks/rules/governance.ts'
import { approvals } from '../../../shared/govern/approvals/approval.ts'
import { datasets } from '../../../shared/learn/datasets/dataset.ts'
import { learnFacts } from '../../../shared/learn/compliance-facts.ts'
import { models } from '../../../shared/learn/models/model.ts'
import type { Row } from '../../../shared/assure/populations/population.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { learnPopulations } from '../../../shared/learn/populations.ts'
import { newDataset } from '../../support/dataset.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { newModel } from '../../support/model.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { deployedModel } from './deployed-model.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local)
})

const DAY = 86_400_000
const ask = (of = acme) => ({ ctx: of.ctx, now: local.clock.now(), since: local.clock.now() - 90 * DAY })
const found = async (of = acme) => learnFacts.models(ask(of))

const MEASURED = {
  dataset_id: 'dst_01JD3Q8Z5NB4E6G8J0M2P4R6T8',
  dataset_sha256: 'a'.repeat(64),
  metrics: JSON.stringify({ test: { accuracy: 0.9 } }),
}

describe('a deployed model', () => {
  test('was approved, and the first of its slot has none to return to', async () => {
    await newModelOf(acme, { status: 'registered' })
    const id = await deployedModel(local, acme, MEASURED)

    expect(await found()).toEqual([{ id, approved: true, can_return: true, measured: true }])
  })

  test('that replaced another can return to it; without figures of test data it is not measured', async () => {
    const id = await deployedModel(local, acme)

    expect(await found()).toEqual([{ id, approved: true, can_return: true, measured: false }])
    expect(rules['AI-02'].find({ models: await found() }, ask())).toMatchObject({ status: 'fail', failing_ids: [id] })
  })

  test('is not approved because its row says so', async () => {
    const other = await governed(local)
    const forged = await newModelOf(other, { status: 'deployed', approved: true })
    const id = await deployedModel(local, other)
    const { approval_id = '' } = (await other.ctx.table.get(models, { ...other.ctx.space, id })) ?? {}
    await other.ctx.table.commit([approvals.remove({ ...other.ctx.space, id: approval_id })])

    const all = await found(other)
    expect(Object.fromEntries(all.map((one) => [one.id, one.approved]))).toEqual({ [forged]: false, [id]: false })
    expect(rules['AI-01'].find({ models: all }, ask())).toMatchObject({ status: 'fail', failing_count: 2 })
  })

  test('whose predecessor is gone cannot return', async () => {
    const other = await governed(local)
    const first = await deployedModel(local, other)
    const id = await deployedModel(local, other)
    await other.ctx.table.commit([models.remove({ ...other.ctx.space, id: first })])

    expect(await found(other)).toEqual([expect.objectContaining({ id, can_return: false })])
  })
})

async function newModelOf({ ctx }: Governed, over: object): Promise<string> {
  const model = { ...newModel(ctx), name: 'other-slot', ...over }
  await ctx.table.commit([models.insert(model)])
  return model.id
}

test('datasets of the window tell whether they were redacted', async () => {
  const { ctx } = acme
  const pii = (mode: 'redact' | 'drop' | 'keep', residual = 0) => ({ pii: { mode, redactions: 3, residual } })
  const made = [
    newDataset(ctx, pii('redact')),
    newDataset(ctx, pii('drop', 2)),
    newDataset(ctx, pii('keep')),
    newDataset(ctx, { source: 'upload' }),
  ]
  const failed = newDataset(ctx, { status: 'failed' })
  await ctx.table.commit([...made, failed].map((one) => datasets.insert(one)))

  const facts = await learnFacts.datasets(ask())
  const told = new Map(facts.map(({ id, ...rest }) => [id, rest]))
  expect(made.map(({ id }) => told.get(id))).toEqual([
    { redacted: true, residual_findings: 0 },
    { redacted: true, residual_findings: 2 },
    { redacted: false, residual_findings: 0 },
    { redacted: false, residual_findings: 0 },
  ])
  expect(told.has(failed.id)).toBe(false)
  expect(await learnFacts.datasets({ ...ask(), since: local.clock.now() + DAY })).toEqual([])
})

test('an auditor gets the changes of each slot, with the approval and without the reason', async () => {
  const other = await governed(local)
  const [first, second] = [await deployedModel(local, other), await deployedModel(local, other)]
  const population = learnPopulations.find(({ name }) => name === 'model_changes')
  const now = local.clock.now()
  const rows: Row[] = []
  const window = { start_at: iso(now - DAY), end_at: iso(now) }
  for await (const page of population?.rows(other.ctx, window) ?? []) rows.push(...page)

  expect(rows).toMatchObject([first, second].map((model_id) => ({ model_id, to: 'deployed', slot: 'approval-scorer' })))
  const columns = new Set(rows.flatMap((row) => Object.keys(row)))
  expect([...columns].filter((name) => !population?.columns.includes(name))).toEqual([])
})
