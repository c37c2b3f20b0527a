// Rotates a signing secret. The former one also signs for a while, so that receivers can change over without a gap.
import { changed } from '../../../ledger/audit/changed.ts'
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { conflict } from '../../../base/lib/failure.ts'
import { personBehind } from '../../../identity/access/permissions.ts'
import { type Endpoint, endpoints, findEndpoint, versionConflict } from './endpoint.ts'
import { isValidAt, openParts, sealParts } from './sealed-parts.ts'
import { newSecret, secretHint } from '../../../base/signing/signature.ts'

/** Secrets that may sign at the same time. */
export const SECRETS_MAX = 3

type Secrets = Endpoint['secrets']

export type Rotation = { id: string; secret?: string | undefined; overlap_seconds: number }

/**
 * Adds a secret that signs at once; the former ones sign until their overlap ends. Returns `secret` in clear, once. Throws 409
 * while the limit of valid secrets is reached, and for the second of two rotations at once.
 */
export async function rotateSecret(ctx: Context, input: Rotation): Promise<{ secret: string; secrets: Secrets }> {
  const was = await findEndpoint(ctx, input.id)
  const now = ctx.now()
  const secret = input.secret ?? newSecret(ctx.random)
  const seen_by = personBehind(ctx.principal)
  const fresh = { id: ctx.id('whs'), created_at: iso(now), hint: secretHint(secret), seen_by }
  const secrets = rotated(was.secrets, fresh, { now, overlapMs: input.overlap_seconds * 1_000 })
  const parts = await openParts(was)
  const kept = Object.entries(parts.secrets).filter(([id]) => secrets.some((one) => one.id === id))
  const sealed = await sealParts(was, { ...parts, secrets: { ...Object.fromEntries(kept), [fresh.id]: secret } })
  const writes = changed(ctx, [
    {
      action: 'webhook_endpoint.secret_rotated',
      artifact: 'webhook.endpoint.updated',
      subject: { type: 'webhook_endpoint', id: was.id, name: was.name },
      data: { changed_fields: ['secrets'], secret_id: fresh.id, overlap_seconds: input.overlap_seconds },
      changes: [{ path: 'secret', before: '***', after: '***' }],
    },
  ])
  const next = { ...was, secrets, sealed, updated_at: iso(now) }
  await ctx.table.commit([endpoints.replace(next, was, versionConflict(was)), ...writes], was.id)
  return { secret, secrets }
}

type Overlap = { now: number; overlapMs: number }

/** The new secret first, then those still valid, newest first. Without an overlap the former one ends at once. */
export function rotated(secrets: Secrets, fresh: Secrets[number], { now, overlapMs }: Overlap): Secrets {
  const expires_at = iso(now + overlapMs)
  const ending = secrets.map((one) => ({ ...one, expires_at: one.expires_at ?? expires_at }))
  const former = ending.filter((one) => isValidAt(one, now))
  if (former.length < SECRETS_MAX) return [fresh, ...former]
  const [soonest] = former.map((one) => one.expires_at).toSorted()
  throw conflict(
    `${SECRETS_MAX} secrets of this endpoint are valid. You can rotate again when the first of them ends at ${soonest}.`,
  )
}
