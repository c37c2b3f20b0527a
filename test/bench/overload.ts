// `npm run bench -- overload [seconds] [unbounded]`: what the local service still does when many clients ask at once, each
// again as soon as it was answered. Without a bound they would make each other too slow for any to be served.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { manifest } from '../support/any-route.ts'

const CLIENTS = [1, 2, 4, 8, 16, 32, 64, 128]
const SECONDS = 8
/** Of the best throughput, what must be left with the most clients. */
const GOAL = 0.7

type Service = { url: string; keys: readonly string[] }
type Tally = { good: number; busy: number; limited: number; failed: number; times: number[] }

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

function post({ url }: Service, path: string, key: string, body: object): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  const call = request(`${url}${path}`, { method: 'POST', agent, headers }, (answer) => {
    answer.resume().on('close', () => resolve(answer.statusCode ?? 0))
  })
  call.on('error', () => resolve(0)).end(JSON.stringify(body))
  return promise
}

const ACTION = { node_id: 'crm.contacts.editor', action_id: 'get_contact', payload: { id: 1 } }

async function client(service: Service, key: string, until: number, tally: Tally): Promise<void> {
  while (performance.now() < until) {
    const from = performance.now()
    const status = await post(service, '/api/v1/protocol/execute', key, ACTION)
    if (status === 200) tally.times.push(performance.now() - from)
    tally[status === 200 ? 'good' : status === 503 ? 'busy' : status === 429 ? 'limited' : 'failed'] += 1
  }
}

async function step(service: Service, clients: number, seconds: number): Promise<Tally & { perSecond: number }> {
  const tally: Tally = { good: 0, busy: 0, limited: 0, failed: 0, times: [] }
  const from = performance.now()
  const keyOf = (index: number) => service.keys[index % service.keys.length] ?? ''
  const until = from + seconds * 1_000
  await Promise.all(Array.from({ length: clients }, (_, index) => client(service, keyOf(index), until, tally)))
  return { ...tally, perSecond: (tally.good * 1_000) / (performance.now() - from) }
}

const quantile = (times: readonly number[], share: number) =>
  Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0)

const columns = (...cells: (string | number)[]) => cells.map((cell) => String(cell).padStart(9)).join('')

export async function run(args: string[]): Promise<void> {
  const seconds = Number(args.find((arg) => /^\d+$/.test(arg)) ?? SECONDS)
  const child = fork(join(import.meta.dirname, 'overload-service.ts'), args.includes('unbounded') ? ['unbounded'] : [])
  const [service] = (await once(child, 'message')) as [Service]
  await Promise.all(
    service.keys.map((key) => post(service, '/api/v1/protocol/manifest', key, { manifest: manifest() })),
  )
  await step(service, 4, 2) // warm

  console.log(columns('clients', 'good/s', 'good', '503', '429', 'failed', 'p50 ms', 'p95 ms'))
  const rates: number[] = []
  for (const clients of CLIENTS) {
    const { perSecond, good, busy, limited, failed, times } = await step(service, clients, seconds)
    rates.push(perSecond)
    console.log(
      columns(clients, perSecond.toFixed(1), good, busy, limited, failed, quantile(times, 0.5), quantile(times, 0.95)),
    )
  }
  const share = (rates.at(-1) ?? 0) / Math.max(...rates)
  console.log(`\n${CLIENTS.at(-1)} clients get ${(100 * share).toFixed(0)} % of the peak (goal: ${100 * GOAL} %)`)
  agent.destroy()
  child.send('end')
  await once(child, 'exit')
  if (share < GOAL) process.exitCode = 1
}
