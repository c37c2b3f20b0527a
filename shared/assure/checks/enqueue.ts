import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { env } from '../../base/lib/env.ts'
import { spaceMembers } from '../../base/table/members.ts'

export const RunMessage = z.strictObject({ ...spaceMembers, run_id: z.string() })

/** Hands a run to the worker `runChecks`. The sweeper sends a lost message again. */
export async function enqueueRun({ tenant_id, mode }: Space, run_id: string): Promise<void> {
  const { SendMessageCommand, sqs } = await import('../../base/aws/sqs.ts')
  const MessageBody = JSON.stringify({ tenant_id, mode, run_id })
  await sqs().send(new SendMessageCommand({ QueueUrl: env('CHECKS_QUEUE_URL'), MessageBody }))
}
