// A deployment in memory on a clock of its own: every call of a service takes the time that the latency model gives it, and
// the clock jumps from one event to the next, so that an hour of waiting costs nothing and load does not depend on the
// machine. Reads 3 ms, transactions 12 ms, single writes 6 ms, other services 10
// to 25 ms, all log-normal with a p95 of twice the median.
import { setImmediate } from 'node:timers/promises'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { resetClients } from '../../shared/base/aws/clients.ts'
import { type Context, setRuntime, type Space, systemContext } from '../../shared/base/context.ts'
import { genesisWrites } from '../../shared/ledger/evidence/checkpoint/signing-key.ts'
import type { Clock } from '../../shared/base/lib/clock.ts'
import { coldStart } from '../../shared/base/lib/memory.ts'
import { type Answerer, intercept } from '../support/intercept.ts'
import { MemoryKms, MemoryS3, memorySecrets, MemorySqs } from '../support/memory-aws.ts'
import { type Call, MemoryTable } from '../support/memory-table.ts'

const START = Date.parse('2026-11-20T10:00:00.000Z')
/** Standard deviation of the logarithm: e^(1.645 s) = 2. */
const SPREAD = Math.LN2 / 1.645
const MEDIAN_MS: Record<string, number> = {
  TransactWriteItems: 12,
  UpdateItem: 6,
  PutItem: 6,
  BatchWriteItem: 6,
  GetObject: 20,
  PutObject: 25,
  ListObjectsV2: 20,
  GetPublicKey: 10,
  Sign: 15,
  SendMessage: 10,
  SendMessageBatch: 10,
}
const READ_MS = 3

/** Seeded (mulberry32), so that two runs see the same latencies. */
export function randomness(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Wait = { due: number; resolve: () => void }

export class VirtualClock implements Clock {
  #now = START
  #waits: Wait[] = []

  /** Whole milliseconds, as every clock of a service gives them. */
  now = (): number => Math.floor(this.#now)

  sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const wait = { due: this.#now + Math.max(0, ms), resolve }
      this.#waits.splice(this.#placeOf(wait.due), 0, wait)
    })

  /** Lets time pass until the work is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let done = false
    const ended = work.finally(() => (done = true))
    ended.catch(() => undefined)
    for (;;) {
      await setImmediate() // whatever can go on without time passing has done so
      if (done) return ended
      const next = this.#waits.pop()
      if (!next) throw new Error('everything waits for something that never comes')
      this.#now = next.due
      next.resolve()
    }
  }

  /** Latest first; of equal ones the first that came is the last in the list. */
  #placeOf(due: number): number {
    let [low, high] = [0, this.#waits.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#waits[middle]?.due ?? 0) > due) low = middle + 1
      else high = middle
    }
    return low
  }
}

export type Deployment = { clock: VirtualClock; table: MemoryTable; s3: MemoryS3; ctx: Context; space: Space }

const ENVIRONMENT = {
  AWS_REGION: 'us-east-1',
  TABLE_NAME: 'table',
  SECRET_ID: 'secret',
  EVIDENCE_SECRET_ID: 'evidence-secret',
  SIGN_KEY_ID: 'sign',
  EVIDENCE_BUCKET: 'evidence',
  EVIDENCE_ORIGIN: 'countersign.example',
  QUEUE_BASE: 'https://sqs.example/',
  LOG_LEVEL: 'off',
}

/** A fresh deployment with both chains of one tenant, and everything in this process pointed at it. */
export async function deploy(space: Space, seed = 1): Promise<Deployment> {
  Object.assign(process.env, ENVIRONMENT)
  const clock = new VirtualClock()
  const random = randomness(seed)
  const delay = ({ name }: { name: string }) =>
    clock.sleep((MEDIAN_MS[name] ?? READ_MS) * Math.exp(SPREAD * normal(random)))
  const [table, kms, s3, sqs] = [new MemoryTable(clock.now), new MemoryKms(), new MemoryS3(), new MemorySqs()]
  table.hooks = contention(delay)
  const slow =
    (send: Answerer): Answerer =>
    async (call) => {
      await delay(call)
      return send(call)
    }
  const services = { kms: slow(kms.send), s3: slow(s3.send), sqs: slow(sqs.send) }
  const answers = { dynamodb: table.send.bind(table), ...services, 'secrets-manager': slow(memorySecrets()) }
  resetClients([(client, service) => intercept(client, answers[service as keyof typeof answers])])
  setRuntime({ clock, random: (size) => Uint8Array.from({ length: size }, () => random() * 256) })
  coldStart()
  const ctx = systemContext(space)
  await clock.run(genesisWrites(space.tenant_id, clock.now()).then((writes) => ctx.table.commit(writes)))
  return { clock, table, s3, ctx, space }
}

/** Box and Muller. */
const normal = (random: () => number) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

type Transacted = { Key?: object; Item?: Record<string, object> }

/** Latency, and what the double alone does not do: a transaction is refused while another one holds one of its items. */
function contention(delay: (call: Call) => Promise<void>) {
  const held = new Set<string>()
  const itemsOf = ({ name, input }: Call): string[] => {
    if (name !== 'TransactWriteItems' || !('TransactItems' in input)) return []
    const items = (input.TransactItems as Record<string, Transacted>[]).flatMap((one) => Object.values(one))
    return items.map(({ Key, Item }) => JSON.stringify(Key ?? { pk: Item?.pk, sk: Item?.sk }))
  }
  return {
    before: async (call: Call) => {
      const items = itemsOf(call)
      if (items.some((item) => held.has(item))) {
        await delay(call)
        const CancellationReasons = items.map((item) => ({ Code: held.has(item) ? 'TransactionConflict' : 'None' }))
        throw new TransactionCanceledException({ message: 'conflict', $metadata: {}, CancellationReasons })
      }
      for (const item of items) held.add(item)
      await delay(call)
      for (const item of items) held.delete(item)
    },
  }
}

/** CPU seconds that the work took. */
export async function cpuSeconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
