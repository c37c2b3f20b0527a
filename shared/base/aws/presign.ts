// Presigned URLs of S3 objects: Signature Version 4 in the query (Amazon S3 API reference, "Authenticating requests: using
// query parameters"). Signed here because the SDK's presigner needs the whole S3 client, which is more code than the rest
// of the function.
import { env } from '../lib/runtime.ts'
import { hmacSha256, sha256Hex } from '../lib/json.ts'

export type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined }

export type Signing = {
  method: 'GET' | 'PUT'
  /** URL of the object, without a query; the path is percent-encoded. */
  url: URL
  region: string
  credentials: Credentials
  at: number
  seconds: number
  /** Headers that the request must carry with exactly these values. */
  headers?: Record<string, string> | undefined
  query?: Record<string, string> | undefined
}

const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]) => (a < b ? -1 : 1)

export function signQuery({
  method,
  url,
  region,
  credentials,
  at,
  seconds,
  headers = {},
  query = {},
}: Signing): string {
  const time = new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const signed = Object.entries({ host: url.host, ...headers }).toSorted(byName)
  const names = signed.map(([name]) => name).join(';')
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  const parameters = Object.entries({
    ...query,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': names,
    ...(sessionToken && { 'X-Amz-Security-Token': sessionToken }),
  }).toSorted(byName)
  const search = parameters.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('')
  const request = [method, url.pathname, search, lines, names, 'UNSIGNED-PAYLOAD'].join('\n')
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256Hex(request)].join('\n')
  const key = scope.split('/').reduce<Uint8Array>(hmacSha256, Buffer.from(`AWS4${secretAccessKey}`))
  return `${url.origin}${url.pathname}?${search}&X-Amz-Signature=${hmacSha256(key, text).toString('hex')}`
}

/** Lifetime of a presigned URL. */
export const PRESIGNED_SECONDS = 900

/** `headers`: those that the request must carry with exactly these values. */
type ObjectRequest = { key: string; at: number; query?: Record<string, string>; headers?: Record<string, string> }

const METHODS = { GetObject: 'GET', PutObject: 'PUT' } as const

/** A URL that reads or writes one object of the files bucket with the rights of this function. */
export function presignedUrl(operation: keyof typeof METHODS, { key, at, query, headers }: ObjectRequest): string {
  const region = env('REGION')
  const endpoint = process.env.AWS_ENDPOINT_URL_S3 ?? `https://s3.${region}.amazonaws.com`
  return signQuery({
    method: METHODS[operation],
    url: new URL(`${endpoint}/${env('FILES_BUCKET')}/${key.split('/').map(encode).join('/')}`),
    region,
    credentials: {
      accessKeyId: env('AWS_ACCESS_KEY_ID'),
      secretAccessKey: env('AWS_SECRET_ACCESS_KEY'),
      sessionToken: process.env.AWS_SESSION_TOKEN,
    },
    at,
    seconds: PRESIGNED_SECONDS,
    headers,
    query,
  })
}
