// A worker that dies between any two writes leaves a job that ends all the same, and never two models.
import { describe, expect, test } from 'vitest'
import { training } from '../../../functions/training/routes.ts'
import { handler as train } from '../../../functions/workers/train.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { storedDataset } from '../../support/dataset-files.ts'
import { faults } from '../../support/faults.ts'
import { bodyOf } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const process = faults()
const local = useLocalStack({ plugins: [process.plugin] })

/** With five epochs: begin, read, five signs of life, evaluate, complete. */
const COMMITS = [1, 2, 3, 4, 5, 6, 7, 8, 9]

describe('a training job whose worker dies', () => {
  test.each(
    COMMITS.flatMap((at) => [
      { at, lost: true },
      { at, lost: false },
    ]),
  )('at commit $at (its answer is lost: $lost) ends', async ({ at, lost }) => {
    const tenant = await local.tenant()
    const ctx = systemContext({ tenant_id: tenant.tenant_id, mode: 'live' })
    const rows = Array.from({ length: 30 }, (_, n) => ({ payload: { amount: n }, approved: n < 15 }))
    const { id: dataset_id } = await storedDataset(ctx, rows, rows)
    const body = { name: 'approval-scorer', type: 'approval', dataset_id, hyperparameters: { epochs: 5 } }
    const { id } = bodyOf(await tenant.call(training.createJob, { body }), 202)
    const read = async () => bodyOf(await tenant.call(training.getJob, { params: { job_id: id } }), 200)
    const message = { messageId: '1', body: JSON.stringify({ ...ctx.space, id }) }

    process.die({ at, command: 'TransactWriteItemsCommand', lost })
    await train({ Records: [message] }).catch(() => undefined)
    process.restart()
    await local.drain()
    await local.advance(6 * 60_000)
    await local.sweep()
    await local.drain()

    const job = await read()
    const { items } = bodyOf(await tenant.call(training.listModels), 200)
    expect(['completed', 'failed']).toContain(job.status)
    expect(items).toHaveLength(job.status === 'completed' ? 1 : 0)
    expect(job.model_id).toBe(items[0]?.id)
    expect((await tenant.call(training.createJob, { body })).status).toBe(202)
  })
})
