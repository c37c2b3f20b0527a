// Gives a download URL of the file of submitted evidence. That is evidence itself: it names the caller and the file.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { PRESIGNED_SECONDS, presignedUrl } from '../../base/aws/presign.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { attachment } from '../../base/lib/export-text.ts'
import { subjectOf } from './submission-artifact.ts'
import { findSubmission, type Submission, statusAt } from './submission.ts'
import { holdsAnnounced, keyOf } from './upload.ts'

export const FileView = z.object({
  download_url: z.string().describe('A short-lived address of the finished file.'),
  expires_at: z.string().describe('When it expires.'),
  /** Of the announced file (hex). Compare it with what you downloaded. */
  sha256: z.string().describe('SHA-256 of the file, hex.'),
})

/** Throws 404 where there is no file, 409 where it is not there yet, or not the one that was submitted. */
export async function shareFile(ctx: Context, id: string): Promise<z.output<typeof FileView>> {
  const found = await findSubmission(ctx, id)
  const { file, decision } = found
  const status = statusAt(found, ctx.now())
  if (!file || (status === 'rejected' && !decision)) throw notFound('file')
  if (status === 'awaiting_upload') throw conflict('The file has not been uploaded. Upload it first.')
  if (!(await holdsAnnounced(found, file)))
    throw conflict('The stored file is not the one that was submitted, or it is gone. Do not rely on this evidence.')
  const at = ctx.now()
  const expires_at = iso(at + PRESIGNED_SECONDS * 1_000)
  const query = { 'response-content-disposition': attachment(file.name) }
  const download_url = presignedUrl('GetObject', { key: keyOf(found), at, query })
  await record(ctx, found, { sha256: file.sha256, expires_at })
  return { download_url, expires_at, sha256: file.sha256 }
}

async function record(ctx: Context, found: Submission, { sha256, expires_at }: { sha256: string; expires_at: string }) {
  const subject = subjectOf(found)
  const data = { export: subject.type, sha256 }
  const artifact = newArtifact(ctx, { type: 'evidence.exported', subject, data })
  const shared = {
    type: 'artifact.shared' as const,
    subject: { id: `${found.id}/${ctx.request.request_id}`, version: 1 },
    data: { artifact_type: 'data_export' as const, resource_id: found.id, shared_with: 'presigned_url', expires_at },
  }
  await ctx.table.commit(commitWith(ctx, [{ artifact, events: [shared] }]))
}
