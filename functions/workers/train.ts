import '../effects.ts'
import { type Context, systemContext } from '../../shared/base/context.ts'
import { type QueueEvent, read } from '../../shared/base/kernel/queue.ts'
import type { AffectedNodes } from '../../shared/base/ports/effects.ts'
import { training } from '../../shared/learn/queue.ts'

type Work = (ctx: Context, id: string) => Promise<unknown>

const affectedNodes: AffectedNodes = async (ctx, since) =>
  (await import('../../shared/operate/incidents/affected-nodes.ts')).affectedNodes(ctx, since)

/** By the prefix of the id. Each is loaded only when a message names such a thing. */
const WORK: Record<string, Work> = {
  plr: async (ctx, id) =>
    (await import('../../shared/learn/pipeline/perform-run.ts')).performRun(ctx, id, affectedNodes),
  snp: async (ctx, id) =>
    (await import('../../shared/learn/snapshots/perform-snapshot.ts')).performSnapshot(ctx, id, affectedNodes),
  dst: async (ctx, id) => {
    const dataset = await (await import('../../shared/learn/datasets/dataset-view.ts')).readDataset(ctx, id)
    return dataset.source === 'upload'
      ? (await import('../../shared/learn/uploads/validate-upload.ts')).validateUpload(ctx, dataset)
      : (await import('../../shared/learn/generation/generate.ts')).generateDataset(ctx, dataset)
  },
  job: async (ctx, id) => (await import('../../shared/learn/jobs/run-job.ts')).runJob(ctx, id),
}

/** One message per thing that is to be worked on. Failed messages return to the queue. */
export const handler = (event: QueueEvent) =>
  read(training, event, { failed: 'training_not_done' }, async ({ id, ...space }) =>
    WORK[id.slice(0, id.indexOf('_'))]?.(systemContext(space), id),
  )
