// What has fallen due of submitted evidence.
import type { Context } from '../../base/context.ts'
import { giveUpUpload } from '../submissions/submit.ts'
import { submissions, statusAt } from '../submissions/submission.ts'
import { close, settle, storeHistory } from './settle.ts'

export async function sweepEvidence(ctx: Context, id: string): Promise<void> {
  const was = await ctx.table.get(submissions, { ...ctx.space, id })
  if (was?.status === 'awaiting_upload') return giveUpUpload(ctx, id)
  if (was?.status !== 'accepted') return
  if (was.unsettled) await settle(ctx, was)
  const now = await ctx.table.get(submissions, was)
  if (now?.status !== 'accepted' || statusAt(now, ctx.now()) !== 'expired') return
  await storeHistory(ctx) // first: once it is closed, nobody comes back for it
  await close(ctx, now, 'expired')
}
