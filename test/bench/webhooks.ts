// `npm run bench -- webhooks`: the retry schedule as it happens, what the state machine costs, what one hanging endpoint
// costs the others, what hostile receivers cost us, and what becomes of deliveries when everything around them fails. Real
// verbs and workers on doubles.
import { handler as fanOutWebhook } from '../../functions/workers/fan-out-webhook.ts'
import type { Outcome } from '../../shared/base/lib/safe-http.ts'
import { fanOut } from '../../shared/deliver/webhooks/fan-out.ts'
import { inGroups } from '../../shared/base/lib/in-parallel.ts'
import { machine } from '../unit/deliver/webhooks/machine.ts'
import { answers, received, Service, timesOut } from '../unit/deliver/webhooks/service.ts'
import { account } from './webhook-faults.ts'
import { memoryCosts } from './webhook-memory.ts'
import { costOf } from './webhook-transitions.ts'

/** As the API specification has them: seconds after the first attempt. */
const SCHEDULE = [0, 60, 120, 240, 420, 720, 1_200, 1_980]

/** Goal: dollars of transitions a million deliveries, at most. */
const MIXES = [
  { name: '100 % first try', retriedOnce: 0, exhausted: 0, most: 0 },
  { name: '99.5 % first try, 0.4 % one retry, 0.1 % exhausted', retriedOnce: 0.4, exhausted: 0.1, most: 1.5 },
  { name: '97 % first try, 2 % one retry, 1 % exhausted', retriedOnce: 2, exhausted: 1, most: 9 },
]

const ENDPOINTS = 1_000
const SEEDS = [1, 2, 3]

let missed = 0

function verdict(passed: boolean): string {
  if (!passed) missed += 1
  return passed ? 'ok' : 'MISSED'
}

/** One event, as the relay logged it. */
async function fanOutOne(it: Service): Promise<void> {
  for (const { event, position } of await it.log(1)) await fanOut(it.ctx(), event, position)
}

async function started(): Promise<Service> {
  const it = new Service()
  await it.start()
  return it
}

async function schedule(): Promise<void> {
  const it = await started()
  const retries = machine(it)
  await it.endpoint()
  it.answer = () => answers(500)
  await fanOutOne(it)
  retries.startAnnounced()
  await retries.finish()
  const times = it.sent.map(({ at }) => Math.round((at - (it.sent[0]?.at ?? 0)) / 1_000))
  const passed = times.join() === SCHEDULE.join() && it.deliveries()[0]?.status === 'failed'
  console.log(`POSTs of a failing delivery, in seconds: ${times.join(', ')}; then failed  ${verdict(passed)}`)
}

async function firstTry(): Promise<void> {
  const it = await started()
  await it.endpoint()
  for (let count = 0; count < 100; count += 1) await fanOutOne(it)
  const passed = it.sent.length === 100 && it.bus.length === 0
  console.log(`Executions started by 100 deliveries that succeed at once: ${it.bus.length}  ${verdict(passed)}`)
}

async function transitions(): Promise<void> {
  const rows = MIXES.map(async ({ name, most, ...mix }) => {
    const { transitions: count, dollars } = await costOf(mix)
    const [paid, goal] = [dollars.toFixed(2), `≤ ${most.toFixed(2)}`]
    return { 'per million': name, transitions: Math.round(count), $: paid, goal, verdict: verdict(dollars <= most) }
  })
  console.table(await Promise.all(rows))
}

/** POSTs of 1,000 deliveries, one of which hangs when told so: how many end while it hangs, and the wall time of these. */
async function others(hangs: boolean): Promise<{ ended: number; ms: number }> {
  const it = await started()
  await it.endpoints(ENDPOINTS)
  const hanging = Promise.withResolvers<Outcome>()
  it.answer = ({ url }) => (hangs && url.endsWith('/500') ? hanging.promise : answers(200))
  await fanOutOne(it)
  const messages = it.queue.splice(0).map((message) => received(JSON.stringify(message)))
  const before = performance.now()
  const work = Promise.all(inGroups(messages, 10).map((Records) => fanOutWebhook({ Records })))
  const wanted = hangs ? ENDPOINTS - 1 : ENDPOINTS
  const ended = () => it.deliveries().filter(({ status }) => status === 'delivered').length
  while (ended() < wanted) await new Promise(setImmediate)
  const ms = performance.now() - before
  const count = ended()
  hanging.resolve(timesOut)
  await work
  return { ended: count, ms }
}

async function oneHangs(): Promise<void> {
  const ratios: number[] = []
  let least = ENDPOINTS
  for (let round = 0; round < 5; round += 1) {
    const [none, one] = [await others(false), await others(true)]
    ratios.push(one.ms / none.ms)
    least = Math.min(least, one.ended)
  }
  const [low, middle, high] = [0, 2, 4].map((index) => ratios.toSorted((a, b) => a - b)[index]?.toFixed(2))
  const told = `${least} of ${ENDPOINTS - 1} delivered while one endpoint hangs`
  console.log(`${told}; time to that against none hanging: ${middle} × (${low} to ${high})  ${verdict(least === 999)}`)
}

async function faults(): Promise<void> {
  for (const seed of SEEDS) {
    const { faults: injected, unaccounted, untrue, expected, delivered, failed, posts } = await account(seed)
    const total = Object.values(injected).reduce((sum, count) => sum + count, 0)
    const share = ((100 * (expected - unaccounted)) / expected).toFixed(2)
    const told = `${expected} deliveries under ${total} faults (seed ${seed}): ${delivered} delivered, ${failed} failed`
    const passed = unaccounted === 0 && untrue === 0
    console.log(`${told}, ${posts} POSTs; accounted for ${share} %, untrue ${untrue}  ${verdict(passed)}`)
    if (seed === SEEDS[0]) console.table(injected)
  }
}

/** Goals: until a POST ends, and what it holds meanwhile. */
const POST_MS_MAX = 5_100
const POST_MB_MAX = 5

async function hostile(): Promise<void> {
  const rows = (await memoryCosts()).map(({ receiver, outcome, ms, mb }) => {
    const passed = ms <= POST_MS_MAX && mb <= POST_MB_MAX
    return { receiver, outcome, ms, 'MB at most': mb.toFixed(1), verdict: verdict(passed) }
  })
  console.table(rows)
}

export async function run(): Promise<void> {
  await schedule()
  await firstTry()
  await transitions()
  await oneHangs()
  await faults()
  await hostile()
  if (missed > 0) process.exitCode = 1
}
