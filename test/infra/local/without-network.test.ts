// What a client gets without a network is what it gets over it.
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs'
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKms, type Kms } from '../../../infra/local/kms.ts'
import { createQueues, type Queues } from '../../../infra/local/sqs.ts'
import type { AnyClient } from '../../../shared/base/aws/clients.ts'
import { BUCKET, type StandIns, startStandIns } from '../../support/stand-ins.ts'
import { withoutNetwork } from '../../support/without-network.ts'

let standIns: StandIns
let kms: Kms
let queues: Queues
beforeAll(async () => {
  standIns = await startStandIns()
  kms = createKms(standIns.disk)
  const work = { work: { visibilitySeconds: 30, maxReceives: 2 } }
  queues = createQueues(standIns.disk.db, work, standIns.url, standIns.clock)
  standIns.serve({ ...kms.actions, ...queues.actions })
})
afterAll(() => standIns.stop())

const WAYS = ['over the network', 'without it'] as const
type Way = (typeof WAYS)[number]

function by<C extends AnyClient>(way: Way, client: C, service: string): C {
  if (way === 'without it') withoutNetwork(() => standIns)(client, service)
  return client
}

describe.each(WAYS)('%s', (way) => {
  test('bytes of a request and of an answer arrive as they are', async () => {
    const client = by(way, new KMSClient(standIns.client), 'kms')
    const Message = new Uint8Array([0, 128, 255])

    const input = { KeyId: kms.signKeyId, Message, SigningAlgorithm: 'ECDSA_SHA_256' } as const
    const { Signature } = await client.send(new SignCommand(input))
    const { PublicKey } = await client.send(new GetPublicKeyCommand({ KeyId: kms.signKeyId }))

    expect(Signature?.length).toBeGreaterThan(60)
    expect(PublicKey?.length).toBe(91)
  })

  test('errors keep their names, also those of the query protocol', async () => {
    const client = by(way, new SQSClient(standIns.client), 'sqs')
    const sent = client.send(
      new SendMessageBatchCommand({ QueueUrl: queues.url('none'), Entries: [{ Id: '0', MessageBody: 'a' }] }),
    )

    await expect(sent).rejects.toMatchObject({ name: 'QueueDoesNotExist' })
  })

  test('objects are stored and read as streams, found by their prefix, and not overwritten', async () => {
    const client = by(way, new S3Client({ ...standIns.client, forcePathStyle: true }), 's3')
    const Key = `a/${way} ä?.txt`
    const put = { Bucket: BUCKET, Key, Body: Buffer.from([1, 2, 255]), IfNoneMatch: '*' }

    await client.send(new PutObjectCommand(put))
    const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }))
    const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: `a/${way}` }))

    expect(Body).toBeInstanceOf(Readable)
    expect(await Body?.transformToByteArray()).toEqual(new Uint8Array([1, 2, 255]))
    expect(Contents).toMatchObject([{ Key, Size: 3 }])
    await expect(client.send(new PutObjectCommand(put))).rejects.toMatchObject({ name: 'PreconditionFailed' })
  })

  test('what is for another server goes there', async () => {
    const other = await startStandIns()
    const client = by(way, new S3Client({ ...other.client, forcePathStyle: true }), 's3')
    other.serve({})

    await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'a', Body: 'x' }))
    const mine = by(way, new S3Client({ ...standIns.client, forcePathStyle: true }), 's3')
    await expect(mine.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'a' }))).rejects.toMatchObject({
      name: 'NoSuchKey',
    })
    client.destroy()
    await other.stop()
  })

  test('an object that is missing is NoSuchKey', async () => {
    const client = by(way, new S3Client({ ...standIns.client, forcePathStyle: true }), 's3')
    const read = client.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'none' }))

    await expect(read).rejects.toMatchObject({ name: 'NoSuchKey', $metadata: { httpStatusCode: 404 } })
  })
})
