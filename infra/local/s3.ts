// Stand-in for the part of S3 that checkpoints, exports and uploads use: put, get, list in key order, delete. It supports
// `If-None-Match: *`, which the checkpointer needs, and checksums, which submitted files need. Presigned URLs expire, but
// signatures are not checked. It keeps no versions and locks nothing, and says so when it is asked.
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { DatabaseSync } from 'node:sqlite'

type Answer = { status: number; headers: Record<string, string>; body?: string | Uint8Array }
export type S3 = (request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>, body: Uint8Array) => Answer

type Asked = { headers: IncomingMessage['headers']; query: URLSearchParams; withBody: boolean }
type Stored = { key: string; body: Uint8Array; etag: string; type: string; modified: number }

const SCHEMA = `CREATE TABLE IF NOT EXISTS s3_objects (
  bucket TEXT, key TEXT, body BLOB NOT NULL, etag TEXT NOT NULL, type TEXT NOT NULL, modified INTEGER NOT NULL,
  PRIMARY KEY (bucket, key)
)`

/** Buckets that say they keep versions under Object Lock for so many days, for tests of the code that reads these answers. */
export type Locked = Readonly<Record<string, number>>

export function createS3(db: DatabaseSync, buckets: readonly string[], now: () => number, locked: Locked = {}): S3 {
  db.exec(SCHEMA)
  const insert = db.prepare(`INSERT OR REPLACE INTO s3_objects VALUES (?, ?, ?, ?, ?, ?)`)
  const select = db.prepare(`SELECT * FROM s3_objects WHERE bucket = ? AND key = ?`)
  const range = db.prepare(
    `SELECT key, etag, modified, length(body) AS size FROM s3_objects
     WHERE bucket = ? AND key > ? AND substr(key, 1, length(?)) = ? ORDER BY key LIMIT ?`,
  )
  const erase = db.prepare(`DELETE FROM s3_objects WHERE bucket = ? AND key = ?`)
  const find = (bucket: string, key: string) => select.get(bucket, key) as Stored | undefined

  function put(bucket: string, key: string, headers: IncomingMessage['headers'], body: Uint8Array): Answer {
    if (headers['content-encoding']?.includes('aws-chunked')) return failure(501, 'NotImplemented')
    if (!hasChecksum(headers, body)) return failure(400, 'BadDigest')
    if (headers['if-none-match'] === '*' && find(bucket, key)) return failure(412, 'PreconditionFailed')
    const etag = `"${createHash('md5').update(body).digest('hex')}"`
    insert.run(bucket, key, body, etag, headers['content-type'] ?? 'application/octet-stream', now())
    return { status: 200, headers: { etag } }
  }

  /** Of every object; S3 itself has the SHA-256 only of those that were stored with one. */
  const checksum = (headers: IncomingMessage['headers'], body: Uint8Array): Record<string, string> =>
    headers['x-amz-checksum-mode'] === 'ENABLED' ? { 'x-amz-checksum-sha256': sha256Of(body) } : {}

  function get(bucket: string, key: string, { headers: asked, query, withBody }: Asked): Answer {
    const found = find(bucket, key)
    if (!found) return withBody ? failure(404, 'NoSuchKey') : { status: 404, headers: {} }
    const { etag, type, body, modified } = found
    const disposition = query.get('response-content-disposition') // of a presigned URL
    const headers = {
      etag,
      'content-type': type,
      'content-length': String(body.byteLength),
      'last-modified': new Date(modified).toUTCString(),
      ...(disposition !== null && { 'content-disposition': disposition }),
      ...checksum(asked, body),
    }
    return { status: 200, headers, ...(withBody && { body }) }
  }

  function list(bucket: string, query: URLSearchParams): Answer {
    const limit = Math.min(Number(query.get('max-keys') ?? 1_000), 1_000)
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
    const rows = range.all(bucket, after, prefix, prefix, limit + 1) as (Stored & { size: number })[]
    return listing(bucket, rows.slice(0, limit), rows.length > limit)
  }

  return ({ method, url, headers }, body) => {
    const { pathname, searchParams } = new URL(url ?? '/', 'http://s3')
    const [, bucket = '', ...rest] = pathname.split('/')
    const key = decodeURIComponent(rest.join('/'))
    if (!buckets.includes(bucket))
      return method === 'HEAD' ? { status: 404, headers: {} } : failure(404, 'NoSuchBucket')
    if (isOver(searchParams, now())) return failure(403, 'AccessDenied')
    if (key === '' && method === 'HEAD') return { status: 200, headers: {} }
    if (key === '' && searchParams.has('versioning')) return versioning(locked[bucket])
    if (key === '' && searchParams.has('object-lock')) return objectLock(locked[bucket])
    if (key === '' && method === 'GET') return list(bucket, searchParams)
    if (key !== '' && method === 'PUT') return put(bucket, key, headers, body)
    if (key !== '' && (method === 'GET' || method === 'HEAD'))
      return get(bucket, key, { headers, query: searchParams, withBody: method === 'GET' })
    if (key !== '' && method === 'DELETE') {
      erase.run(bucket, key)
      return { status: 204, headers: {} }
    }
    return failure(501, 'NotImplemented')
  }
}

/** Whether the body has the SHA-256 of the request's checksum header, if there is one. */
function hasChecksum(headers: IncomingMessage['headers'], body: Uint8Array): boolean {
  const announced = headers['x-amz-checksum-sha256']
  return announced === undefined || announced === sha256Of(body)
}

const sha256Of = (body: Uint8Array): string => createHash('sha256').update(body).digest('base64')

/** Whether a presigned URL has expired. */
function isOver(query: URLSearchParams, now: number): boolean {
  const [date, seconds] = [query.get('X-Amz-Date'), query.get('X-Amz-Expires')]
  if (date === null || seconds === null) return false
  const since = date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5')
  return now > Date.parse(since) + Number(seconds) * 1_000
}

const XML = { 'content-type': 'application/xml' }
const escape = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
const failure = (status: number, code: string): Answer => ({
  status,
  headers: XML,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
})

const xml = (name: string, content: string): Answer => ({
  status: 200,
  headers: XML,
  body: `<?xml version="1.0"?><${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${name}>`,
})

/** A bucket that never had versions has no status. */
const versioning = (days: number | undefined): Answer =>
  xml('VersioningConfiguration', days === undefined ? '' : '<Status>Enabled</Status>')

function objectLock(days: number | undefined): Answer {
  if (days === undefined) return failure(404, 'ObjectLockConfigurationNotFoundError')
  const retention = `<DefaultRetention><Mode>COMPLIANCE</Mode><Days>${days}</Days></DefaultRetention>`
  return xml('ObjectLockConfiguration', `<ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule>${retention}</Rule>`)
}

function listing(bucket: string, rows: (Stored & { size: number })[], more: boolean): Answer {
  const contents = rows.map(
    ({ key, etag, modified, size }) =>
      `<Contents><Key>${escape(key)}</Key><LastModified>${new Date(modified).toISOString()}</LastModified>` +
      `<ETag>${escape(etag)}</ETag><Size>${size}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
  )
  const next = more ? `<NextContinuationToken>${escape(rows.at(-1)?.key ?? '')}</NextContinuationToken>` : ''
  const page = `<KeyCount>${rows.length}</KeyCount><IsTruncated>${more}</IsTruncated>${next}`
  return xml('ListBucketResult', `<Name>${bucket}</Name>${page}${contents.join('')}`)
}
