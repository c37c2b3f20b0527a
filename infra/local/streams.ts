// Stand-in for the event source of a DynamoDB stream: passes new items to a worker in order, at least once, and stores its
// position on disk. Failed records are passed again before later ones.
import type { DatabaseSync } from 'node:sqlite'
import { type AwsCall, AwsCallError } from './aws-call.ts'

type StreamRecord = {
  eventName: 'INSERT' | 'MODIFY' | 'REMOVE'
  dynamodb: { SequenceNumber: string; NewImage?: Record<string, { S?: string }> }
}
type Shard = { ShardId: string; ParentShardId?: string }
type Page = { Records: StreamRecord[]; NextShardIterator?: string }

/** Without a sequence number: the start of the shard. */
type Position = { shard: string; sequence: string | null }

export type StreamSource = {
  call: AwsCall
  streamArn: string
  /** The name under which the position is stored. */
  reader: string
  /** Only INSERTs of items of this `_type`. */
  itemType: string
  batchSize: number
  invoke: (event: { Records: object[] }) => Promise<unknown>
}

export type StreamReader = {
  /** Reads one page; false when it was empty. Throws when the worker failed; then failed records come again. */
  read: () => Promise<boolean>
}

const SCHEMA = `CREATE TABLE IF NOT EXISTS stream_positions (
  reader TEXT, stream TEXT, shard TEXT NOT NULL, sequence TEXT, PRIMARY KEY (reader, stream)
)`

export function createStreamReader(db: DatabaseSync, source: StreamSource): StreamReader {
  db.exec(SCHEMA)
  const select = db.prepare('SELECT shard, sequence FROM stream_positions WHERE reader = ? AND stream = ?')
  const upsert = db.prepare('INSERT OR REPLACE INTO stream_positions VALUES (?, ?, ?, ?)')
  const { reader, streamArn } = source
  let position = select.get(reader, streamArn) as Position | undefined
  let iterator: string | undefined

  const moveTo = (next: Position) => {
    position = next
    upsert.run(reader, streamArn, next.shard, next.sequence)
  }

  async function read(): Promise<boolean> {
    position ??= { shard: await firstShard(source), sequence: null }
    const { shard } = position
    iterator ??= await openShard(source, position)
    const page = await call<Page>(source, 'GetRecords', { ShardIterator: iterator })
    iterator = undefined // until the whole page is processed
    for (const batch of batches(page.Records, source)) {
      const taken = await handOver(batch, source)
      if (taken) moveTo({ shard, sequence: taken })
      if (taken !== batch.last) throw new Error(`${reader} did not take all records`)
    }
    iterator = page.NextShardIterator
    if (!iterator) await followShard()
    return page.Records.length > 0
  }

  /** Continues a closed shard in its child. */
  async function followShard(): Promise<void> {
    const child = (await shards(source)).find(({ ParentShardId }) => ParentShardId === position?.shard)
    if (child) moveTo({ shard: child.ShardId, sequence: null })
  }

  return { read }
}

const call = <T>(source: StreamSource, name: string, input: object) =>
  source.call<T>(`DynamoDBStreams_20120810.${name}`, input)

async function shards(source: StreamSource): Promise<Shard[]> {
  const input = { StreamArn: source.streamArn }
  const { StreamDescription } = await call<{ StreamDescription: { Shards: Shard[] } }>(source, 'DescribeStream', input)
  return StreamDescription.Shards
}

async function firstShard(source: StreamSource): Promise<string> {
  const all = await shards(source)
  const known = new Set(all.map(({ ShardId }) => ShardId))
  const first = all.find(({ ParentShardId }) => !ParentShardId || !known.has(ParentShardId))
  if (!first) throw new Error('the stream has no shard')
  return first.ShardId
}

async function openShard(source: StreamSource, { shard, sequence }: Position): Promise<string> {
  const open = async (where: object) => {
    const input = { StreamArn: source.streamArn, ShardId: shard, ...where }
    return (await call<{ ShardIterator: string }>(source, 'GetShardIterator', input)).ShardIterator
  }
  const oldest = { ShardIteratorType: 'TRIM_HORIZON' }
  if (!sequence) return open(oldest)
  return open({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: sequence }).catch((error: unknown) => {
    if (error instanceof AwsCallError && error.name === 'TrimmedDataAccessException') return open(oldest)
    throw error
  })
}

/** `last` is the last sequence number before the next batch, so that records of other types are skipped, too. */
type Batch = { records: StreamRecord[]; last: string; before: string | undefined }

function batches(records: StreamRecord[], { itemType, batchSize }: StreamSource): Batch[] {
  const all: Batch[] = []
  for (const record of records) {
    const { NewImage, SequenceNumber } = record.dynamodb
    const wanted = record.eventName === 'INSERT' && NewImage?.['_type']?.S === itemType
    let batch = all.at(-1)
    if (!batch || (wanted && batch.records.length >= batchSize)) {
      batch = { records: [], last: SequenceNumber, before: batch?.last }
      all.push(batch)
    }
    if (wanted) batch.records.push(record)
    batch.last = SequenceNumber
  }
  return all
}

type Response = { batchItemFailures?: { itemIdentifier: string }[] } | null

/** The last processed sequence number; undefined when no record of the page was processed. */
async function handOver(
  { records, last, before }: Batch,
  { invoke, streamArn }: StreamSource,
): Promise<string | undefined> {
  if (records.length === 0) return last
  const event = { Records: records.map((record) => ({ ...record, eventSourceARN: streamArn })) }
  const response = (await invoke(event)) as Response // the contract of ReportBatchItemFailures
  const failed = new Set((response?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier))
  if (failed.size === 0) return last
  const first = records.findIndex(({ dynamodb }) => failed.has(dynamodb.SequenceNumber))
  return records[first - 1]?.dynamodb.SequenceNumber ?? before
}
