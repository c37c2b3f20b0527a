import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Dynamodb, startDynamodb } from '../../../infra/local/dynamodb.ts'
import { createStreamReader, type StreamSource } from '../../../infra/local/streams.ts'
import { createTables, TABLE_NAME } from '../../../infra/local/tables.ts'
import { temporaryDirectory } from '../../support/stand-ins.ts'

const directory = temporaryDirectory()
let server: Dynamodb
let streamArn: string
let readers = 0
let db: DatabaseSync
let source: Omit<StreamSource, 'invoke'>

beforeAll(async () => {
  server = await startDynamodb(directory)
  streamArn = await createTables(server.call)
})
afterAll(async () => {
  await server.close()
  rmSync(directory, { recursive: true })
})
beforeEach(() => {
  db = new DatabaseSync(':memory:')
  // All tests share one stream: each looks for items of a type of its own.
  readers += 1
  source = { call: server.call, streamArn, reader: 'relay', itemType: `TYPE${readers}`, batchSize: 3 }
})

const put = async (...names: string[]) => {
  for (const name of names) {
    const Item = { pk: { S: `${source.itemType}-${name}` }, sk: { S: 'K' }, _type: { S: source.itemType } }
    await server.call('DynamoDB_20120810.PutItem', { TableName: TABLE_NAME, Item })
  }
}

type Event = { Records: { dynamodb: { SequenceNumber: string; NewImage: { pk: { S: string } } } }[] }
const namesOf = (event: object) =>
  (event as Event).Records.map(({ dynamodb }) => dynamodb.NewImage.pk.S.replace(`${source.itemType}-`, ''))

/** A worker that notes what it is given, and answers each batch with what `answer` says. */
function worker(answer: (event: Event) => unknown = () => null) {
  const given: string[][] = []
  const invoke = async (event: object) => {
    given.push(namesOf(event))
    return answer(event as Event)
  }
  return { given, reader: createStreamReader(db, { ...source, invoke }) }
}

async function readAll(reader: ReturnType<typeof worker>['reader']): Promise<void> {
  while (await reader.read()); // each read is one page
}

test('new items of the wanted type arrive in order and in batches; changes and others do not', async () => {
  await put('a', 'b')
  source = { ...source, itemType: 'OTHER' }
  await put('x')
  source = { ...source, itemType: `TYPE${readers}` }
  await put('a', 'c', 'd') // a again: a change, no new item
  const { given, reader } = worker()

  await readAll(reader)

  expect(given).toEqual([['a', 'b', 'c'], ['d']])
})

test('a reader that starts again goes on where it was', async () => {
  await put('a')
  const before = worker()
  await readAll(before.reader)
  await put('b')

  const after = worker()
  await readAll(after.reader)

  expect([before.given, after.given]).toEqual([[['a']], [['b']]])
})

test('what a worker reports as failed comes again, together with all that follows it', async () => {
  await put('a', 'b', 'c')
  let failures = 1
  const { given, reader } = worker(({ Records }) => {
    const [, second] = Records
    return failures-- > 0 ? { batchItemFailures: [{ itemIdentifier: second?.dynamodb.SequenceNumber }] } : null
  })

  await expect(reader.read()).rejects.toThrow('did not take all records')
  await readAll(reader)

  expect(given).toEqual([
    ['a', 'b', 'c'],
    ['b', 'c'],
  ])
})

test('a batch whose worker threw comes again as a whole', async () => {
  await put('a', 'b')
  let failures = 1
  const { given, reader } = worker(() => {
    if (failures-- > 0) throw new Error('down')
  })

  await expect(reader.read()).rejects.toThrow('down')
  await readAll(reader)

  expect(given).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ])
})

test('batches before the one that failed are not repeated, not even after a restart', async () => {
  await put('a', 'b', 'c', 'd')
  const failing = worker(({ Records }) => {
    if (Records.length === 1) throw new Error('down')
  })
  await expect(failing.reader.read()).rejects.toThrow('down')

  const healed = worker()
  await readAll(healed.reader)

  expect([failing.given, healed.given]).toEqual([[['a', 'b', 'c'], ['d']], [['d']]])
})
