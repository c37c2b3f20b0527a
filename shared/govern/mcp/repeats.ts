// A call that repeats one which still waits for people answers that one: models ask again for what is pending, and nobody should be
// asked twice. The marker commits with the held execution, so two calls at once make one request.
import * as z from 'zod'
import { derivedKey } from '../../base/aws/deployment-secret.ts'
import { callerId, type Context, type Space } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { hmacSha256 } from '../../base/lib/hash.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { Overtaken, retryWhenOvertaken } from '../../base/table/retry.ts'
import { openSealed } from '../executions/open-execution.ts'
import { executions } from '../executions/execution.ts'
import type { Submission, Submitted } from '../executions/submission.ts'
import { submit } from '../protocol/submit.ts'

const repeats = entity({
  name: 'REPEAT',
  schema: z.object({ ...spaceMembers, digest: z.string(), request_id: z.string(), until: z.string() }),
  key: (of: Space & { digest: string }) => ({ pk: spaceKey(of, 'REPEAT', of.digest), sk: 'REPEAT' }),
  ttl: ({ until }) => Math.floor(Date.parse(until) / 1_000),
})

/** A keyed hash, because few payloads are hard to guess. */
async function digestOf({ space, principal }: Context, { action, payload }: Submission): Promise<string> {
  const key = await derivedKey(`repeat/v1/${space.tenant_id}`)
  const { node, endpoint, manifest_sha256 } = action
  const called = {
    by: callerId(principal),
    node: node.id,
    action: endpoint.action_id,
    manifest_sha256,
    payload,
  }
  return hmacSha256(key, canonicalJson(called)).toString('hex')
}

type Once = Submitted & { repeated?: true }

/** An Idempotency-Key says by itself what a repeat is. */
export async function submitOnce(ctx: Context, submission: Submission): Promise<Once> {
  const { decision } = submission
  const flooded = decision.rejection?.policy_id === 'approval_flood'
  const waits = (decision.outcome === 'hold' && !decision.rejection) || flooded
  if (!waits || ctx.table.joining) return submit(ctx, submission)
  const digest = await digestOf(ctx, submission)
  return retryWhenOvertaken(async () => {
    const marker = await ctx.table.get(repeats, { ...ctx.space, digest })
    const pending = marker && (await pendingOf(ctx, marker.request_id))
    if (pending) return { ...pending, repeated: true }
    if (flooded) return submit(ctx, submission)
    const execution_id = ctx.id('exe')
    const until = new Date(ctx.now() + decision.expires_in_s * 1_000).toISOString()
    const next = { ...ctx.space, digest, request_id: execution_id, until }
    const write = marker ? repeats.replace(next, marker, new Overtaken()) : repeats.insert(next, new Overtaken())
    return submit(ctx, { ...submission, own: { execution_id, writes: () => [write] } })
  })
}

async function pendingOf(ctx: Context, id: string): Promise<Submitted | undefined> {
  const execution = await ctx.table.get(executions, { ...ctx.space, id })
  return execution?.status === 'pending_approval' ? openSealed(ctx, execution) : undefined
}
