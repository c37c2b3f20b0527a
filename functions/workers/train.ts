import '../effects.ts'
import * as z from 'zod'
import { type Context, systemContext } from '../../shared/base/context.ts'
import { alarm } from '../../shared/base/lib/log.ts'
import type { AffectedNodes } from '../../shared/base/ports/affected-nodes.ts'
import { resourceMembers } from '../../shared/base/table/members.ts'

type QueueEvent = { Records: { messageId: string; body: string }[] }
type Work = (ctx: Context, id: string) => Promise<unknown>

const Message = z.object(resourceMembers)

const affectedNodes: AffectedNodes = async (ctx, since) =>
  (await import('../../shared/operate/incidents/affected-nodes.ts')).affectedNodes(ctx, since)

/** By the prefix of the id. Each is loaded only when a message names such a thing. */
const WORK: Record<string, Work> = {
  plr: async (ctx, id) =>
    (await import('../../shared/learn/pipeline/perform-run.ts')).performRun(ctx, id, affectedNodes),
  snp: async (ctx, id) =>
    (await import('../../shared/learn/snapshots/perform-snapshot.ts')).performSnapshot(ctx, id, affectedNodes),
  dst: async (ctx, id) => {
    const dataset = await (await import('../../shared/learn/datasets/find-dataset.ts')).readDataset(ctx, id)
    return dataset.source === 'upload'
      ? (await import('../../shared/learn/uploads/validate-upload.ts')).validateUpload(ctx, dataset)
      : (await import('../../shared/learn/generation/generate.ts')).generateDataset(ctx, dataset)
  },
  job: async (ctx, id) => (await import('../../shared/learn/jobs/run-job.ts')).runJob(ctx, id),
}

/** One message per thing that is to be worked on. Failed messages return to the queue. */
export const handler = async ({ Records }: QueueEvent) => {
  const batchItemFailures: { itemIdentifier: string }[] = []
  for (const { messageId, body } of Records) {
    try {
      const { id, ...space } = Message.parse(JSON.parse(body))
      await WORK[id.slice(0, id.indexOf('_'))]?.(systemContext(space), id)
    } catch (error) {
      alarm('training_not_done', error, { message: messageId })
      batchItemFailures.push({ itemIdentifier: messageId })
    }
  }
  return { batchItemFailures }
}
