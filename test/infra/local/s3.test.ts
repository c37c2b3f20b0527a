import { createHash } from 'node:crypto'
import {
  DeleteObjectCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BUCKET as Bucket, type StandIns, startStandIns } from '../../support/stand-ins.ts'

let standIns: StandIns
let client: S3Client

beforeAll(async () => {
  standIns = await startStandIns()
  standIns.serve({})
  client = new S3Client(standIns.client)
})
afterAll(() => standIns.stop())

const put = (Key: string, Body: string | Buffer, over: object = {}) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body, ...over }))
const list = (over: object) => client.send(new ListObjectsV2Command({ Bucket, Prefix: 'list/', MaxKeys: 2, ...over }))
const head = (name: string) => client.send(new HeadBucketCommand({ Bucket: name }))
const get = (Key: string) => client.send(new GetObjectCommand({ Bucket, Key }))

test('an object comes back byte for byte, with its type, also under an awkward key', async () => {
  const bytes = Buffer.from([0, 255, 10, 13, 128])
  await put('a b/é&<.json', bytes, { ContentType: 'application/json' })

  const found = await get('a b/é&<.json')

  expect(Buffer.from((await found.Body?.transformToByteArray()) ?? [])).toEqual(bytes)
  expect(found.ContentType).toBe('application/json')
})

test('If-None-Match: * lets only the first write through', async () => {
  await put('checkpoints/0001.json', 'first', { IfNoneMatch: '*' })

  await expect(put('checkpoints/0001.json', 'second', { IfNoneMatch: '*' })).rejects.toMatchObject({
    name: 'PreconditionFailed',
    $metadata: { httpStatusCode: 412 },
  })
})

test('a bucket says whether it keeps versions and locks them', async () => {
  const versions = () => client.send(new GetBucketVersioningCommand({ Bucket }))
  const lock = () => client.send(new GetObjectLockConfigurationCommand({ Bucket }))
  expect((await versions()).Status).toBeUndefined()
  await expect(lock()).rejects.toMatchObject({ name: 'ObjectLockConfigurationNotFoundError' })

  standIns.serve({}, { locked: { [Bucket]: 2_555 } })

  expect((await versions()).Status).toBe('Enabled')
  expect((await lock()).ObjectLockConfiguration).toEqual({
    ObjectLockEnabled: 'Enabled',
    Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Days: 2_555 } },
  })
})

test('a missing object is NoSuchKey, and NotFound when only its head is asked for', async () => {
  await expect(get('none')).rejects.toMatchObject({ name: 'NoSuchKey' })
  await expect(client.send(new HeadObjectCommand({ Bucket, Key: 'none' }))).rejects.toMatchObject({ name: 'NotFound' })
})

test('a listing is in key order, begins after the given key and goes on page by page', async () => {
  for (const name of ['3', '1', '2', '4']) await put(`list/${name}`, name)
  await put('other/1', 'x')

  const first = await list({ StartAfter: 'list/1' })
  const second = await list({ ContinuationToken: first.NextContinuationToken })

  expect(first.Contents?.map(({ Key }) => Key)).toEqual(['list/2', 'list/3'])
  expect(second.Contents?.map(({ Key }) => Key)).toEqual(['list/4'])
  expect([first.IsTruncated, second.IsTruncated]).toEqual([true, false])
})

test('only the buckets of the deployment exist', async () => {
  await expect(head(Bucket)).resolves.toBeDefined()
  await expect(head('other')).rejects.toMatchObject({ name: 'NotFound' })
})

test('a deleted object is gone, and deleting it again is no error', async () => {
  await put('gone', 'x')
  const remove = () => client.send(new DeleteObjectCommand({ Bucket, Key: 'gone' }))
  await remove()

  await expect(get('gone')).rejects.toMatchObject({ name: 'NoSuchKey' })
  await expect(remove()).resolves.toBeDefined()
})

test('a body without the announced checksum is refused', async () => {
  const ChecksumSHA256 = createHash('sha256').update('right').digest('base64')

  await expect(put('sum', 'wrong', { ChecksumSHA256 })).rejects.toMatchObject({ name: 'BadDigest' })
  await expect(put('sum', 'right', { ChecksumSHA256 })).resolves.toBeDefined()
})

test('a presigned address works until its time has passed', async () => {
  await put('shared', 'x')
  const at = new Date(standIns.clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const fetched = () => fetch(`${standIns.url}/${Bucket}/shared?X-Amz-Date=${at}&X-Amz-Expires=900`)

  expect((await fetched()).status).toBe(200)
  standIns.clock.moveTo(standIns.clock.now() + 901_000)
  expect((await fetched()).status).toBe(403)
})
