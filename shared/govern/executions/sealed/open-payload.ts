// Opens the payload that an artifact commits to. Opening it is recorded as evidence; without that record nothing is
// returned.
import type { Context } from '../../../base/context.ts'
import { openExecution } from './open-execution.ts'
import type { Json } from '../../../base/lib/json.ts'
import { conflict, notFound } from '../../../base/lib/failure.ts'
import { artifactIdOf, newArtifact, type StoredArtifact } from '../../../ledger/evidence/artifact/artifact.ts'
import { findArtifact } from '../../../ledger/evidence/artifact/view.ts'
import { hex, payloadCommitment } from '../../../ledger/evidence/artifact/hashes.ts'
import { commitWith } from '../../../ledger/evidence/artifact/record.ts'
import { openPayload } from '../../../ledger/sealing/seal.ts'

/** Payload and salt (hex), which hash to the commitment. 409 when it was erased, 404 when the artifact never had one. */
export async function openArtifactPayload(ctx: Context, id: string) {
  const item = await findArtifact(ctx, id)
  const { payload_commitment, request_id } = item.facts
  if (payload_commitment === undefined) throw notFound('payload')
  const { payload, salt } = await open(ctx, item, request_id)
  if (hex(payloadCommitment(salt, payload)) !== payload_commitment) {
    throw conflict(
      'The stored payload does not match the commitment of the artifact. Verify the evidence of this tenant.',
    )
  }
  const artifact = newArtifact(ctx, {
    type: 'evidence.payload.opened',
    subject: { type: 'artifact', id }, // no request_id: opening a payload is no step of the execution
  })
  await ctx.table.commit(commitWith(ctx, [{ artifact }]))
  return { artifact_id: artifactIdOf(item.sk), payload, salt: hex(salt), payload_commitment }
}

/** The payload of an execution is in the execution, every other one in its artifact. */
async function open(ctx: Context, { pk, sk, sealed }: StoredArtifact, request_id: string | undefined) {
  if (sealed) return openPayload(ctx.space, { pk, sk }, 'sealed', sealed)
  if (request_id === undefined) throw conflict('The payload was erased. Nobody can read it any more.')
  const { opened, salt } = await openExecution(ctx, request_id)
  if (!salt) throw conflict('The payload was erased. Nobody can read it any more.')
  const payload: Json = opened.payload
  return { payload, salt }
}
