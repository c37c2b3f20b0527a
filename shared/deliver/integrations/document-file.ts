// The documents of connectors: those of the catalogue are code, those of tenants stand in the bucket of files.
import type { Context, Space } from '../../base/context.ts'
import { env } from '../../base/lib/env.ts'
import { Failure, invalid, unavailable } from '../../base/lib/failure.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import { outbound, refusalOfTarget } from '../../base/lib/safe-http.ts'
import type { KnownConnector } from './known-connector.ts'

type Place = Space & { id: string; openapi: { sha256: string } }

const keyOf = ({ tenant_id, mode, id, openapi }: Place) => `connectors/${tenant_id}/${mode}/${id}/${openapi.sha256}`

export async function storeDocument(of: Place, text: string): Promise<void> {
  const { PutObjectCommand, s3 } = await import('../../base/aws/s3.ts')
  await s3().send(
    new PutObjectCommand({ Bucket: env('FILES_BUCKET'), Key: keyOf(of), Body: text, ContentType: 'text/plain' }),
  )
}

export async function deleteDocument(of: Place): Promise<void> {
  const { DeleteObjectCommand, s3 } = await import('../../base/aws/s3.ts')
  await s3().send(new DeleteObjectCommand({ Bucket: env('FILES_BUCKET'), Key: keyOf(of) }))
}

/** Throws 503 when it cannot be read, or is not the one that was given. */
export async function readDocumentOf({ space }: Context, { provider, id, openapi }: KnownConnector): Promise<string> {
  if (provider) return (await import('./catalogue/document.ts')).documentOf(provider).text
  const { GetObjectCommand, s3 } = await import('../../base/aws/s3.ts')
  const Key = keyOf({ ...space, id, openapi })
  const { Body } = await s3().send(new GetObjectCommand({ Bucket: env('FILES_BUCKET'), Key }))
  const text = (await Body?.transformToString()) ?? ''
  if (sha256Hex(text) === openapi.sha256) return text
  throw unavailable('The document of the connector cannot be read. Try again.', new Error('another document'))
}

const DEADLINE_MS = 10_000
const BYTES_MAX = 20_971_520

/** What stands at the address of the document now. Throws 422 where it has none, or nothing there can be read. */
export function documentThere({ openapi: { url } }: KnownConnector): Promise<string> {
  if (url !== undefined) return fetchDocument(url)
  const msg = 'is for documents that were read from an address'
  throw new Failure('invalid', [{ loc: ['query', 'refresh'], msg, type: 'value_error' }])
}

/** Throws 422 for an address that may not be called, and for one that does not answer with a document. */
export async function fetchDocument(url: string): Promise<string> {
  const refusal = await refusalOfTarget(url)
  if (refusal) throw invalid(['openapi_url'], refusal)
  const answer = await outbound({
    url,
    method: 'GET',
    headers: { accept: 'application/json, application/yaml;q=0.9, */*;q=0.1', 'accept-encoding': 'identity' },
    deadlineMs: DEADLINE_MS,
    answerBytesMax: BYTES_MAX,
  })
  if (answer.kind !== 'answer') throw invalid(['openapi_url'], `does not answer (${answer.error_class})`)
  if (answer.status !== 200) throw invalid(['openapi_url'], `answers with status ${answer.status}`)
  if (answer.body_end !== 'whole') throw invalid(['openapi_url'], `has more than ${BYTES_MAX} bytes, or ended early`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(answer.body)
  } catch (cause) {
    throw new Failure('invalid', [{ loc: ['body', 'openapi_url'], msg: 'is not UTF-8', type: 'value_error' }], {
      cause,
    })
  }
}
