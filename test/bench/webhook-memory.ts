// What a POST to a hostile receiver costs the function that makes it: time until it ends, and memory at its highest.
import { addressSet } from '../../shared/base/lib/safe-http-target.ts'
import { call } from '../../shared/base/lib/safe-http-call.ts'
import { hostileReceivers } from './hostile-receivers.ts'

/** As a delivery is posted. */
const DELIVERY = { method: 'POST', headers: {}, body: '{}', deadlineMs: 5_000, answerBytesMax: 16_384 } as const
const LOOPBACK = { allowed: addressSet('127.0.0.1/32'), http: true, resolve: async () => ['127.0.0.1'] }
const SAMPLE_MS = 10

export type Cost = { receiver: string; outcome: string; ms: number; mb: number }

const held = () => {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + external + arrayBuffers
}

async function costOf(receiver: string, port: number): Promise<Cost> {
  globalThis.gc?.()
  const before = held()
  let highest = before
  const sampling = setInterval(() => {
    highest = Math.max(highest, held())
  }, SAMPLE_MS)
  const started = performance.now()
  const outcome = await call({ url: `http://localhost:${port}/`, ...DELIVERY }, LOOPBACK)
  const ms = Math.round(performance.now() - started)
  clearInterval(sampling)
  const told = outcome.kind === 'answer' ? `${outcome.status}, body ${outcome.body_end}` : outcome.error_class
  return { receiver, outcome: told, ms, mb: Math.max(0, highest - before) / 1_048_576 }
}

/** One POST to each, one after another; the first, which loads the sockets, is not counted. */
export async function memoryCosts(): Promise<Cost[]> {
  const { ports, stop } = await hostileReceivers()
  try {
    await costOf('', ports['redirect loop'] ?? 0)
    const costs: Cost[] = []
    for (const [receiver, port] of Object.entries(ports)) costs.push(await costOf(receiver, port))
    return costs
  } finally {
    await stop()
  }
}
