// Holds the model of a job against the one that is deployed in its slot, on the same test rows.
import type { Context } from '../../base/context.ts'
import { readModel } from '../../govern/learned/load-model.ts'
import { findModel, type Model } from '../models/model.ts'
import { findSlot } from '../models/move-model.ts'
import { predict } from '../trainers/embedded/evaluate.ts'
import { measure } from '../trainers/metrics/measure.ts'
import { openDataset } from './dataset-files.ts'
import type { Job } from './job.ts'
import { readRows } from './read-rows.ts'

/** Of judged test rows. Null without any. */
type Quality = { model_id: string; rows: number; log_loss: number | null; auc: number | null; accuracy: number | null }
export type Comparison = {
  quality_gate: Model['quality_gate']
  candidate: Quality
  /** Null where the slot is empty. */
  deployed: Quality | null
  /** The gate is passed, and the log loss is lower than that of the deployed model. */
  better: boolean
}

export async function compare(ctx: Context, job: Job): Promise<Comparison> {
  const [candidate, slot] = await Promise.all([findModel(ctx, job.model_id ?? ''), findSlot(ctx, job.name)])
  const rows = (await readRows(await openDataset(ctx, job), job, 'test')).filter(({ judged }) => judged)
  const qualityOf = async (model: Model): Promise<Quality> => {
    const linear = await readModel(ctx.space, ctx.now(), model.artifact)
    const { log_loss, auc, accuracy } = measure(
      rows.map((row) => predict(linear, row)),
      0.5, // the baseline, which nothing here looks at
    )
    return { model_id: model.id, rows: rows.length, log_loss, auc, accuracy }
  }
  const now = slot.deployed === undefined ? undefined : await findModel(ctx, slot.deployed)
  const [own, deployed] = await Promise.all([qualityOf(candidate), now?.type === job.type ? qualityOf(now) : null])
  const isLower = deployed === null || (own.log_loss ?? Infinity) < (deployed.log_loss ?? Infinity)
  const { quality_gate } = candidate
  return { quality_gate, candidate: own, deployed, better: quality_gate === 'passed' && isLower }
}
