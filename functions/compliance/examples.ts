import type { Examples } from '../../shared/base/wire/example.ts'
import { AT, KEY } from '../samples.ts'
import type { compliance } from './routes.ts'

const review = {
  kind: 'access_review',
  title: 'Access review of the third quarter',
  control_refs: [{ framework_id: 'soc2', control_id: 'CC6.3' }],
  source: 'file',
  file: {
    name: 'access-review-q3.pdf',
    content_type: 'application/pdf',
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    size: 48_213,
  },
}

const submitted = {
  id: 'evd_01JD3Q8Z5NA2C4E6G8J0M2P4R6',
  ...review,
  status: 'submitted',
  collected_at: AT,
  submitted_by: KEY,
  submitted_at: AT,
  evidence_artifact_id: 'art_01JD3Q8Z5NB4E6G8J0M2P4R6T8',
}

/** What uploading the file takes; the signature is left out. */
const upload = {
  url: `https://s3.eu-west-1.amazonaws.com/files/submitted/ten_01JD3Q8Z5N/live/${submitted.id}`,
  method: 'PUT',
  headers: {
    'content-length': '48213',
    'content-type': 'application/pdf',
    'x-amz-checksum-sha256': 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=',
  },
  expires_at: '2026-11-20T22:52:00.123Z',
}

export const examples: Examples<typeof compliance> = {
  submitEvidence: {
    body: review,
    responses: { 201: { ...submitted, status: 'awaiting_upload', upload } },
  },
  completeUpload: { body: {}, responses: { 200: submitted } },
}
