import { afterEach, expect, test, vi } from 'vitest'
import { PRESIGNED_SECONDS, presignedUrl, signQuery, type Signing } from '../../../../shared/base/aws/presign.ts'

afterEach(() => vi.unstubAllEnvs())

/** The example of the S3 documentation, "Authenticating requests: using query parameters". */
const EXAMPLE: Signing = {
  method: 'GET',
  url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
  region: 'us-east-1',
  credentials: {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  },
  at: Date.UTC(2013, 4, 24),
  seconds: 86_400,
}

const parameters = (signing: Signing) => new URL(signQuery(signing)).searchParams
const signature = (signing: Signing) => parameters(signing).get('X-Amz-Signature')

test('signs the published example as published', () => {
  expect(signQuery(EXAMPLE)).toBe(
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
      '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
      '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
      '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  )
})

test.each<[string, Partial<Signing>]>([
  ['the method', { method: 'PUT' }],
  ['the object', { url: new URL('https://examplebucket.s3.amazonaws.com/other.txt') }],
  ['the time', { at: EXAMPLE.at + 1_000 }],
  ['how long it works', { seconds: 60 }],
  ['a header', { headers: { 'content-type': 'text/plain' } }],
  ['a parameter', { query: { 'response-content-type': 'text/plain' } }],
])('covers %s', (_, other) => {
  expect(signature({ ...EXAMPLE, ...other })).not.toBe(signature(EXAMPLE))
})

test('names the headers that must be sent, in order', () => {
  const headers = { 'x-amz-checksum-sha256': 'abc=', 'content-length': '3' }

  expect(parameters({ ...EXAMPLE, headers }).get('X-Amz-SignedHeaders')).toBe(
    'content-length;host;x-amz-checksum-sha256',
  )
})

test('carries the token of temporary credentials', () => {
  const credentials = { ...EXAMPLE.credentials, sessionToken: 'a+b/c' }

  expect(parameters({ ...EXAMPLE, credentials }).get('X-Amz-Security-Token')).toBe('a+b/c')
})

test.each([
  ['GetObject', 'GET'],
  ['PutObject', 'PUT'],
] as const)('%s signs for %s, with what must be sent', (operation, method) => {
  vi.stubEnv('REGION', EXAMPLE.region)
  vi.stubEnv('FILES_BUCKET', 'files')
  vi.stubEnv('AWS_ENDPOINT_URL_S3', 'https://s3.example')
  vi.stubEnv('AWS_ACCESS_KEY_ID', EXAMPLE.credentials.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', EXAMPLE.credentials.secretAccessKey)
  vi.stubEnv('AWS_SESSION_TOKEN', undefined)
  const headers = { 'content-length': '3', 'x-amz-checksum-sha256': 'abc=' }
  const url = new URL('https://s3.example/files/a/b%20c')

  expect(presignedUrl(operation, { key: 'a/b c', at: EXAMPLE.at, headers })).toBe(
    signQuery({ ...EXAMPLE, method, url, headers, seconds: PRESIGNED_SECONDS }),
  )
})
