// Stores submitted evidence. Evidence with a file waits for the upload; all other is submitted at once.
import type { Context } from '../../base/context.ts'
import { artifactKey, artifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { iso } from '../../base/lib/clock.ts'
import { invalid } from '../../base/lib/failure.ts'
import { retryWhenOvertaken } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { storedTexts } from '../../govern/governance/pii/stored-text.ts'
import type { SubmissionBody } from './submission-body.ts'
import { beginSubmission } from './submission-artifact.ts'
import { storeSubmitted } from './store-submitted.ts'
import type { Submission } from './submission.ts'

const SALT_BYTES = 32

export async function submitEvidence(ctx: Context, body: SubmissionBody): Promise<Stored<Submission>> {
  const at = ctx.now()
  if (body.collected_at !== undefined && Date.parse(body.collected_at) > at)
    throw invalid(['collected_at'], 'must not be in the future')
  const { mustKnowControls } = await import('./known-controls.ts') // with the catalogue, which is large
  mustKnowControls(body)
  if (body.artifact_id !== undefined) await mustBeOwnArtifact(ctx, body.artifact_id)
  const { title, description, statement } = body
  const { principal } = ctx
  const next = {
    ...ctx.space,
    ...body,
    ...(await storedTexts(ctx, { title, description, statement })),
    id: ctx.id('evd'),
    status: body.source === 'file' ? ('awaiting_upload' as const) : ('submitted' as const),
    collected_at: body.collected_at ?? iso(at),
    submitted_by: { type: principal.kind, id: principal.id },
    submitted_at: iso(at),
    persons: [...principal.persons],
    salt: Buffer.from(ctx.random(SALT_BYTES)).toString('hex'),
  }
  return retryWhenOvertaken(async () => {
    const made = beginSubmission(ctx, next, at)
    await storeSubmitted(ctx, made)
    return made.item
  })
}

async function mustBeOwnArtifact(ctx: Context, id: string): Promise<void> {
  const found = await ctx.table.get(artifacts, artifactKey(ctx.space, id))
  if (!found) throw invalid(['artifact_id'], 'is no artifact of this tenant')
}
