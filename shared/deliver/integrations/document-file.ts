// The documents of connectors, in the bucket of files.
import type { Space } from '../../base/context.ts'
import { env } from '../../base/lib/env.ts'
import { unavailable } from '../../base/lib/failure.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import type { Connector } from './connector.ts'

type Place = Space & { id: string; openapi: { sha256: string } }

const keyOf = ({ tenant_id, mode, id, openapi }: Place) => `connectors/${tenant_id}/${mode}/${id}/${openapi.sha256}`

export async function storeDocument(of: Place, text: string): Promise<void> {
  const { PutObjectCommand, s3 } = await import('../../base/aws/s3.ts')
  await s3().send(
    new PutObjectCommand({ Bucket: env('FILES_BUCKET'), Key: keyOf(of), Body: text, ContentType: 'text/plain' }),
  )
}

/** Throws 503 when it cannot be read, or is not the one that was given. */
export async function readDocumentOf(connector: Connector): Promise<string> {
  const { GetObjectCommand, s3 } = await import('../../base/aws/s3.ts')
  const { Body } = await s3().send(new GetObjectCommand({ Bucket: env('FILES_BUCKET'), Key: keyOf(connector) }))
  const text = (await Body?.transformToString()) ?? ''
  if (sha256Hex(text) === connector.openapi.sha256) return text
  throw unavailable('The document of the connector cannot be read. Try again.', new Error('another document'))
}
