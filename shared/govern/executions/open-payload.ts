// Opens the payload that an artifact commits to. Looking at it is itself evidence: without the artifact of having looked,
// nothing is shown.
import type { Context } from '../../base/context.ts'
import { openExecution } from './open-execution.ts'
import type { Json } from '../../base/lib/canonical-json.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import { artifactIdOf, newArtifacts, type StoredArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { findArtifact } from '../../ledger/evidence/artifact/find-artifact.ts'
import { hex, payloadCommitment } from '../../ledger/evidence/artifact/hashes.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { openPayload } from '../../ledger/sealing/seal.ts'

/** Payload and salt (hex): hashed together they give the commitment. 409 once erased, 404 where there never was one. */
export async function openArtifactPayload(ctx: Context, id: string) {
  const item = await findArtifact(ctx, id)
  const { payload_commitment, request_id } = item.facts
  if (payload_commitment === undefined) throw notFound('payload')
  const { payload, salt } = await open(ctx, item, request_id)
  if (hex(payloadCommitment(salt, payload)) !== payload_commitment) {
    throw conflict('the stored payload is not the one that the artifact commits to')
  }
  const [artifact] = newArtifacts(ctx, {
    type: 'evidence.payload.opened',
    subject: { type: 'artifact', id }, // named by the subject, not by the execution: looking is no step of that
  })
  await ctx.table.commit(recorded(ctx, [{ artifact }]))
  return { artifact_id: artifactIdOf(item.sk), payload, salt: hex(salt), payload_commitment }
}

/** Payloads of executions are in the execution, all others in their artifact. */
async function open(ctx: Context, { pk, sk, sealed }: StoredArtifact, request_id: string | undefined) {
  if (sealed) return openPayload(ctx.space, { pk, sk }, 'sealed', sealed)
  if (request_id === undefined) throw conflict('payload erased')
  const { opened, salt } = await openExecution(ctx, request_id)
  if (!salt) throw conflict('payload erased')
  const payload: Json = opened.payload
  return { payload, salt }
}
