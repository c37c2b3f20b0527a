// The database of a local stack in the memory of its process: commands of the SDK end in the in-memory table instead of a
// socket, and the stream is read from there, too. A command costs a fifth of the CPU that it costs with the server.
import { setImmediate as turn } from 'node:timers/promises'
import type { AwsCall } from '../../infra/local/aws-call.ts'
import type { Dynamodb } from '../../infra/local/dynamodb.ts'
import { TABLE_NAME } from '../../infra/local/tables.ts'
import type { ClientPlugin } from '../../shared/base/aws/clients.ts'
import { intercept } from './intercept.ts'
import { MemoryTable, type StreamRecord } from './memory-table.ts'

/**
 * A command takes as many turns of the event loop as one that a server answers, so that requests at the same time really
 * meet: with a single turn, races find half as many conflicts as on the embedded server.
 */
const TURNS = 5

export type MemoryDatabase = {
  table: MemoryTable
  open: () => Promise<Dynamodb>
  /** For the clients of the functions. */
  plugin: ClientPlugin
}

export function memoryDatabase(now: () => number): MemoryDatabase {
  const table = new MemoryTable(now)
  return {
    table,
    open: async () => ({
      endpoint: 'http://memory.invalid', // a client without the plugin fails
      call: controlOf(table),
      pid: undefined,
      close: async () => {},
      died: new Promise(() => {}),
    }),
    plugin: (client, service) => {
      if (service !== 'dynamodb') return
      intercept(client, async (command) => {
        for (let passed = 0; passed < TURNS; passed += 1) await turn()
        return table.send(command)
      })
    },
  }
}

type Input = { SequenceNumber?: string; ShardIterator?: string }

/** What the local service itself asks of the database: tables and their stream, which is one shard without an end. */
function controlOf({ stream }: MemoryTable): AwsCall {
  const answers: Record<string, (input: Input) => object> = {
    CreateTable: () => ({}),
    DescribeTable: () => ({ Table: { LatestStreamArn: 'arn:aws:dynamodb:us-east-1:000000000000:stream' } }),
    DescribeStream: () => ({ StreamDescription: { Shards: [{ ShardId: 'shard' }] } }),
    GetShardIterator: ({ SequenceNumber = '-1' }) => ({ ShardIterator: String(Number(SequenceNumber) + 1) }),
    GetRecords: ({ ShardIterator }) => ({
      Records: stream.slice(Number(ShardIterator)).filter(ofMainTable).map(written),
      NextShardIterator: String(stream.length),
    }),
  }
  return async <Answer>(target: string, input: object) => {
    const answer = answers[target.split('.').at(-1) ?? '']
    if (!answer) throw new Error(`the in-memory database does not know ${target}`)
    return answer(input) as Answer // the caller gives the documented type
  }
}

const ofMainTable = ({ table }: StreamRecord) => table === TABLE_NAME

const texts = new WeakMap<StreamRecord, object>()

/** As the service writes it: bytes are base64. Every reader of the stream gets each record. */
function written(record: StreamRecord): object {
  const known = texts.get(record)
  if (known) return known
  const { sequence, eventName, keys, newImage, oldImage } = record
  const images = { ...(oldImage && { OldImage: oldImage }), ...(newImage && { NewImage: newImage }) }
  const dynamodb = { Keys: keys, ...images, SequenceNumber: String(sequence) }
  const text = JSON.stringify({ eventID: String(sequence), eventName, dynamodb }, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
  )
  const fresh = JSON.parse(text) as object
  texts.set(record, fresh)
  return fresh
}
