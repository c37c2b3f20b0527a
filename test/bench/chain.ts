// `npm run bench -- chain`: what a tenant's requests and its chain do at a fixed offered rate, in virtual time. Requests
// arrive at random (Poisson), each reads once and commits an execution with its artifact; the doorbell rings when 100
// pointers are new or one is a second old, a fifth of a second late, and one sequencer works at a time.
import * as z from 'zod'
import type { Space } from '../../shared/base/context.ts'
import { newArtifact } from '../../shared/ledger/evidence/artifact/artifact.ts'
import { geneses, genesisKey, headKey, heads } from '../../shared/ledger/evidence/chain/chain.ts'
import { commitWith } from '../../shared/ledger/evidence/artifact/record.ts'
import { genesisStart } from '../../shared/ledger/evidence/chain/read-chain.ts'
import { sequence } from '../../shared/ledger/evidence/chain/sequence.ts'
import { walkToHead } from '../../shared/ledger/evidence/verify/walk-to-head.ts'
import { entity, type Key } from '../../shared/base/table/entity.ts'
import { cpuSeconds, type Deployment, deploy, percentile, randomness } from './virtual-time.ts'

const RATES = [10, 50, 100, 200, 500, 1_000, 2_000]
const SECONDS = 8
const BACKLOG = 10_000
const DOORBELL = { pointers: 100, windowMs: 1_000, delayMs: 200 }
const SPACE: Space = { tenant_id: 'ten_01J9Z3K4M5N6P7Q8R9S0T1V2W3', mode: 'live' }

const states = entity({
  name: 'EXEC',
  unbound: 'bounded',
  schema: z.object({ pk: z.string(), sk: z.string(), text: z.string() }),
  key: ({ pk, sk }: Key): Key => ({ pk, sk }),
})

/** One request: a read, and one transaction of state, artifact, pointer and outbox item. */
async function request({ ctx }: Deployment, id: string): Promise<string> {
  const key = { pk: `T#${SPACE.tenant_id}#live#EXEC#${id}`, sk: 'EXEC' }
  await ctx.table.get(states, key)
  const artifact = newArtifact(ctx, {
    type: 'protocol.executed',
    subject: { type: 'execution', id },
    request_id: id,
    outcome: 'succeeded',
  })
  await ctx.table.commit([states.insert({ ...key, text: 'x'.repeat(1_500) }), ...commitWith(ctx, [{ artifact }])])
  return artifact.artifact_id
}

type Load = { times: number[]; committedAt: Map<string, number>; tries: number }

async function offer(made: Deployment, rate: number, load: Load, rung: (id: string) => void): Promise<void> {
  const { clock } = made
  const random = randomness(rate)
  const under: Promise<void>[] = []
  const until = clock.now() + SECONDS * 1_000
  const one = async (id: string) => {
    const began = clock.now()
    const artifact_id = await request(made, id)
    load.times.push(clock.now() - began)
    load.committedAt.set(artifact_id, clock.now())
    rung(artifact_id)
  }
  while (clock.now() < until) {
    under.push(one(`exe_${under.length}`))
    await clock.sleep((-Math.log(1 - random()) * 1_000) / rate)
  }
  await Promise.all(under)
}

/** The stream's doorbell: rings `work` for new pointers until there will be no more of them. */
function doorbell({ clock }: Deployment, work: () => Promise<unknown>) {
  const state = { fresh: 0, oldest: 0, closed: false }
  const listen = async () => {
    while (!state.closed || state.fresh > 0) {
      await clock.sleep(10)
      const waited = state.fresh > 0 && clock.now() - state.oldest >= DOORBELL.windowMs
      if (state.fresh < DOORBELL.pointers && !waited) continue
      await clock.sleep(DOORBELL.delayMs)
      state.fresh = 0
      await work()
    }
    await work()
  }
  const ring = () => {
    if (state.fresh === 0) state.oldest = clock.now()
    state.fresh += 1
  }
  const close = () => {
    state.closed = true
  }
  return { listen, ring, close }
}

async function atRate(rate: number) {
  const made = await deploy(SPACE, rate)
  const { clock, table, ctx } = made
  const load: Load = { times: [], committedAt: new Map(), tries: 0 }
  const placedAt = new Map<string, number>()
  table.hooks.after = ({ name, input }) => {
    if (name === 'UpdateItem' && 'Key' in input)
      placedAt.set(`art_${(input.Key as { sk: { S: string } }).sk.S}`, clock.now())
    if (name === 'TransactWriteItems' && 'TransactItems' in input && (input.TransactItems as []).length > 2)
      load.tries += 1
  }
  const { before } = table.hooks
  table.hooks.before = async (call) => {
    try {
      await before?.(call)
    } catch (error) {
      load.tries += 1
      throw error
    }
  }
  const bell = doorbell(made, () => sequence(ctx))
  await clock.run(Promise.all([offer(made, rate, load, bell.ring).then(bell.close), bell.listen()]))
  const lags = [...load.committedAt].flatMap(([id, at]) =>
    Math.max(0, (placedAt.get(id) ?? Number.POSITIVE_INFINITY) - at),
  )
  return { rate, load, lags, lost: await lost(made, load.committedAt.size) }
}

/** Artifacts without their place in a chain that holds. */
async function lost({ ctx, clock }: Deployment, committed: number): Promise<number> {
  const check = async () => {
    const [head, genesis] = [
      await ctx.table.get(heads, headKey(SPACE)),
      await ctx.table.get(geneses, genesisKey(SPACE)),
    ]
    if (!head || !genesis) throw new Error('no chain')
    const { walk } = await walkToHead(ctx, genesisStart(genesis), head)
    return committed - walk.size + walk.findings.length
  }
  return clock.run(check())
}

/** How fast one sequencer works off what waits. */
async function throughput() {
  const made = await deploy(SPACE)
  const ids = Array.from({ length: BACKLOG }, (_, index) => `exe_${index}`)
  await made.clock.run(Promise.all(ids.map((id) => request(made, id))))
  const began = made.clock.now()
  const cpu = await cpuSeconds(() => made.clock.run(sequence(made.ctx)))
  return { perSecond: (BACKLOG / (made.clock.now() - began)) * 1_000, micros: (cpu / BACKLOG) * 1e6 }
}

const ms = (value: number) => Math.round(value)

export async function run(args: string[]): Promise<void> {
  const rates = args.length > 0 ? args.map(Number) : RATES
  const rows: Record<string, number | string>[] = []
  for (const wanted of rates) {
    const { load, lags, lost: gone } = await atRate(wanted)
    rows.push({
      'offered/s': wanted,
      requests: load.times.length,
      'p50 ms': ms(percentile(load.times, 0.5)),
      'p95 ms': ms(percentile(load.times, 0.95)),
      'p99 ms': ms(percentile(load.times, 0.99)),
      tries: (load.tries / load.times.length).toFixed(2),
      'lag p50 ms': ms(percentile(lags, 0.5)),
      'lag p99 ms': ms(percentile(lags, 0.99)),
      lost: gone,
    })
  }
  console.log(`one tenant, ${SECONDS} s of each rate, virtual time`)
  console.table(rows)
  console.log('goals: p95 flat to 1,000/s; tries ≤ 1.2; lag p99 ≤ 2,000 ms; lost 0')
  const { perSecond, micros } = await throughput()
  console.table({
    'artifacts sequenced per second': { measured: Math.round(perSecond), goal: '≥ 1,000' },
    'CPU µs per artifact, SDK and double included': { measured: Math.round(micros), goal: '-' },
  })
}
