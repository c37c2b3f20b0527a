import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { resetClients } from '../../../../shared/base/aws/clients.ts'
import { checkUpload, removeUpload, uploadAddress } from '../../../../shared/assure/submissions/upload.ts'
import { sha256, sha256Hex } from '../../../../shared/base/lib/json.ts'
import { type Answerer, intercept } from '../../../support/intercept.ts'

const OF = { tenant_id: 'ten_01J9Z3K4M5N6P7Q8R9S0T1V2W3', mode: 'live' as const, id: 'evd_01JD3Q8Z5NA2C4E6G8J0M2P4R6' }
const BYTES = Buffer.from('the review')
const FILE = { name: 'q3.txt', content_type: 'text/plain', sha256: sha256Hex(BYTES), size: BYTES.length }
const ENVIRONMENT = {
  AWS_REGION: 'eu-west-1',
  REGION: 'eu-west-1',
  FILES_BUCKET: 'files',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
}

let answer: Answerer
beforeEach(() => {
  Object.assign(process.env, ENVIRONMENT)
  resetClients([(client) => intercept(client, (command) => answer(command))])
})
afterEach(() => resetClients())

const fails = (name: string) => async () => {
  throw Object.assign(new Error(name), { name })
}
const lies =
  (bytes: Buffer, ContentLength = bytes.length) =>
  async () => ({
    Body: { transformToWebStream: () => Readable.toWeb(Readable.from([bytes.subarray(0, 4), bytes.subarray(4)])) },
    ContentLength,
    ETag: '"1"',
  })

const address = () => uploadAddress(OF, FILE, Date.parse('2026-11-20T10:00:00.000Z'))

describe('the address of an upload', () => {
  test('binds size, type and hash', () => {
    const { url, headers } = address()

    expect(headers).toEqual({
      'content-length': '10',
      'content-type': 'text/plain',
      'x-amz-checksum-sha256': sha256(BYTES).toString('base64'),
    })
    expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toBe(
      'content-length;content-type;host;x-amz-checksum-sha256',
    )
  })

  test('is one of its tenant, mode and submission, for a quarter of an hour', () => {
    const { url, expires_at } = address()

    expect(new URL(url).pathname).toBe(`/files/submitted/${OF.tenant_id}/live/${OF.id}`)
    expect(expires_at).toBe('2026-11-20T10:15:00.000Z')
  })
})

describe('what was uploaded', () => {
  test('matches when size and hash do', async () => {
    answer = lies(BYTES)

    expect(await checkUpload(OF, FILE)).toEqual({ matches: true, etag: '"1"' })
  })

  test.each([
    ['other bytes of the same size', lies(Buffer.from('the rewiev'))],
    ['fewer bytes', lies(Buffer.from('the'))],
    ['another size', lies(BYTES, 11)],
  ])('does not match with %s', async (_, found) => {
    answer = found

    expect(await checkUpload(OF, FILE)).toEqual({ matches: false, etag: '"1"' })
  })

  test.each(['NoSuchKey', 'AccessDenied'])('is missing when S3 says %s', async (name) => {
    answer = fails(name)

    expect(await checkUpload(OF, FILE)).toBeUndefined()
  })

  test('is not judged while S3 does not answer', async () => {
    answer = fails('TimeoutError')

    await expect(checkUpload(OF, FILE)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('is removed only as it was looked at', async () => {
    const asked: object[] = []
    answer = async ({ input }) => {
      asked.push(input)
      return fails('PreconditionFailed')()
    }
    await removeUpload(OF, { matches: false, etag: '"1"' })

    expect(asked).toEqual([expect.objectContaining({ IfMatch: '"1"' })])
  })
})
