// The documents of connectors: those of the catalogue are code, those of tenants are files of the bucket.
import type { Context, Space } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import { Failure, unavailable, type Violation } from '../../base/lib/failure.ts'
import { sha256Hex } from '../../base/lib/json.ts'
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

/** The document at its address now. Throws 422 where the connector has no address, or nothing there can be read. */
export function documentThere({ openapi: { url } }: KnownConnector): Promise<string> {
  if (url !== undefined) return fetchDocument(url, REFRESHED)
  throw unreadable(REFRESHED, 'is for documents that were read from an address')
}

type Named = Violation['loc']
const REFRESHED: Named = ['query', 'refresh']
const GIVEN: Named = ['body', 'openapi_url']

const unreadable = (loc: Named, msg: string, cause?: unknown) =>
  new Failure('invalid', [{ loc, msg, type: 'value_error' }], { cause })

/** Throws 422 for an address that may not be called, and for one that does not answer with a document. `named`: what asked for it. */
export async function fetchDocument(url: string, named = GIVEN): Promise<string> {
  const is = named === GIVEN ? '' : 'reads an address that '
  const refusal = await refusalOfTarget(url)
  if (refusal) throw unreadable(named, `${is}${refusal}`)
  const answer = await outbound({
    url,
    method: 'GET',
    headers: { accept: 'application/json, application/yaml;q=0.9, */*;q=0.1', 'accept-encoding': 'identity' },
    deadlineMs: DEADLINE_MS,
    answerBytesMax: BYTES_MAX,
  })
  if (answer.kind !== 'answer') throw unreadable(named, `${is}does not answer (${answer.error_class})`)
  if (answer.status !== 200) throw unreadable(named, `${is}answers with status ${answer.status}`)
  if (answer.body_end !== 'whole') throw unreadable(named, `${is}has more than ${BYTES_MAX} bytes, or ended early`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(answer.body)
  } catch (cause) {
    throw unreadable(named, `${is}is not UTF-8`, cause)
  }
}
