import type { Context } from '../../base/context.ts'
import { hasEnded, jobs } from './job.ts'

/** Each is loaded only for a job of its own. */
const PROVIDERS = {
  sagemaker: async () => (await import('../trainers/providers/sagemaker.ts')).sagemakerProvider,
  bedrock: async () => (await import('../trainers/providers/bedrock.ts')).bedrockProvider,
}

/** Goes on with a job from its stored state; one that has ended stays as it is. */
export async function runJob(ctx: Context, id: string): Promise<void> {
  const job = await ctx.table.get(jobs, { ...ctx.space, id })
  if (!job || hasEnded(job.status)) return
  if (job.trainer === 'embedded') return (await import('./train-embedded.ts')).trainEmbedded(ctx, job)
  const { followProvider } = await import('./follow-provider.ts')
  await followProvider(ctx, job, await PROVIDERS[job.trainer]())
}
