import { env } from '../../../base/lib/env.ts'

/** What the worker `sync` does: a run, or removing what a connection that has ended copied. */
export type SyncMessage = { tenant_id: string; mode: 'live' | 'test' } & ({ id: string } | { remove: string })

/** The sweeper sends a lost message of a run again. `afterSeconds`: at most 900. */
export const enqueueSync = (message: SyncMessage, afterSeconds = 0): Promise<void> => send(message, afterSeconds)

/** A signed message of Nango, for the same worker. */
export const enqueueNango = (nango: string, afterSeconds = 0): Promise<void> => send({ nango }, afterSeconds)

async function send(message: object, afterSeconds: number): Promise<void> {
  const { SendMessageCommand, sqs } = await import('../../../base/aws/sqs.ts')
  await sqs().send(
    new SendMessageCommand({
      QueueUrl: env('SYNCS_QUEUE_URL'),
      MessageBody: JSON.stringify(message),
      ...(afterSeconds > 0 && { DelaySeconds: Math.min(900, Math.ceil(afterSeconds)) }),
    }),
  )
}
