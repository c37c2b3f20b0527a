// Most tests run on the in-memory table, `npm start` on the embedded server: both must be one database to the service.
import { type AttributeValue, BatchWriteItemCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import * as fc from 'fast-check'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AwsCall } from '../../../infra/local/aws-call.ts'
import { type Dynamodb, startDynamodb } from '../../../infra/local/dynamodb.ts'
import { createTables, TABLE_NAME as TableName } from '../../../infra/local/tables.ts'
import { memoryDatabase } from '../../support/memory-database.ts'
import { answerOf, randomCommand } from '../../support/random-commands.ts'
import { LOCAL_CLIENT, temporaryDirectory } from '../../support/stand-ins.ts'
import { runs } from '../../support/runs.ts'

type Database = { client: DynamoDBClient; call: AwsCall; streamArn: string }

const directory = temporaryDirectory()
let server: Dynamodb
let embedded: Database
let memory: Database

beforeAll(async () => {
  server = await startDynamodb(directory)
  const { call, endpoint } = server
  embedded = { call, client: new DynamoDBClient({ ...LOCAL_CLIENT, endpoint }), streamArn: await createTables(call) }
  const double = memoryDatabase(Date.now)
  const opened = await double.open()
  const client = new DynamoDBClient({ ...LOCAL_CLIENT, endpoint: opened.endpoint })
  double.plugin(client, 'dynamodb')
  memory = { call: opened.call, client, streamArn: await createTables(opened.call) }
})
afterAll(async () => {
  await server.close()
  rmSync(directory, { recursive: true })
})

async function empty({ client }: Database): Promise<void> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, ProjectionExpression: 'pk, sk' }))
  const requests = Items.map((Key) => ({ DeleteRequest: { Key } })).toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
  if (requests.length > 0) await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }))
}

const textOf = ({ DeleteRequest: { Key } }: { DeleteRequest: { Key: Record<string, AttributeValue> } }) =>
  JSON.stringify([Key.pk, Key.sk])

/** Changes of the whole stream, without their numbers. */
async function changes({ call, streamArn: StreamArn }: Database): Promise<object[]> {
  const stream = <T>(name: string, input: object) => call<T>(`DynamoDBStreams_20120810.${name}`, input)
  const { StreamDescription } = await stream<{ StreamDescription: { Shards: { ShardId: string }[] } }>(
    'DescribeStream',
    { StreamArn },
  )
  const ShardId = StreamDescription.Shards[0]?.ShardId
  const from = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }
  let { ShardIterator } = await stream<{ ShardIterator: string }>('GetShardIterator', from)
  const all: object[] = []
  for (;;) {
    const page = await stream<Page>('GetRecords', { ShardIterator })
    all.push(...page.Records.map(imagesOf))
    if (page.Records.length === 0) return all
    ShardIterator = page.NextShardIterator
  }
}

type Change = { eventName: string; dynamodb: { Keys: object; NewImage?: object; OldImage?: object } }
type Page = { Records: Change[]; NextShardIterator: string }
const imagesOf = ({ eventName, dynamodb: { Keys, NewImage, OldImage } }: Change) => ({
  eventName,
  Keys,
  NewImage,
  OldImage,
})

test('random commands get the same answers from the in-memory table and from the embedded server', async () => {
  const commands = fc.array(randomCommand, { minLength: 5, maxLength: 25 })
  const same = fc.asyncProperty(commands, async (all) => {
    await Promise.all([empty(embedded), empty(memory)])
    for (const command of all) {
      expect(await answerOf(memory.client, command)).toEqual(await answerOf(embedded.client, command))
    }
  })
  await fc.assert(same, runs(30, 50))
  expect(await changes(memory)).toEqual(await changes(embedded))
})
