// `npm run bench -- metrics`: what counting and watching cost. The table is in memory; its calls are priced as DynamoDB would bill
// them. CPU includes the SDK and the double.
import { handler as measure } from '../../functions/workers/measure.ts'
import { handler as sweep } from '../../functions/workers/sweep.ts'
import type { Measure } from '../../shared/base/catalog/measures.ts'
import type { Space } from '../../shared/base/context.ts'
import { rateWindowsKey, takeOne } from '../../shared/base/limits/window.ts'
import { padded, spaceKey, toAttributes } from '../../shared/base/table/entity.ts'
import { headKey, heads } from '../../shared/ledger/evidence/chain/chain.ts'
import { logHeads } from '../../shared/ledger/events/log.ts'
import { packEvents } from '../../shared/ledger/events/outbox.ts'
import { folderPositions } from '../../shared/ledger/fold/folder.ts'
import { createRule } from '../../shared/operate/alerts/change-rules.ts'
import { RuleInput } from '../../shared/operate/alerts/rule-fields.ts'
import { createSlo } from '../../shared/operate/slos/open-slo.ts'
import { SloInput } from '../../shared/operate/slos/slo.ts'
import { bytesOf } from '../support/storable.ts'
import { autoExecution } from '../unit/ledger/events/auto-execution.ts'
import { SPACE, TABLE, type World, world } from '../unit/ledger/evidence/world.ts'
import { NOTHING, type Units, unitsOf, usd } from './capacity.ts'
import { cpuSeconds, randomness } from './virtual-time.ts'

const MINUTE = 60_000
const EVENTS = 6
const NODES = 12
const RATES = [1, 10, 100, 1_000]
const TENANTS = [10, 100, 1_000, 10_000]
const MINUTES_PER_MONTH = 30 * 1_440
const MILLION = 1_000_000

function deployed(): World {
  Object.assign(process.env, {
    DEPLOYMENT: 'bench',
    QUEUE_BASE: 'https://sqs.example/',
  })
  return world()
}

const decided = (random: () => number, result: 0 | 1): Measure[] => [
  ['d', 0, 0, Math.round(190 * random()), 1, 213],
  ['r', result, 0, Math.round(800 * random()), 90],
]

/** Commits of runs of some nodes, one in fifty failed. */
const COMMITS = ((random) =>
  Array.from({ length: 200 }, (_, index) =>
    packEvents(autoExecution(`node.${Math.floor(NODES * random() ** 2)}`), decided(random, index % 50 === 49 ? 1 : 0)),
  ))(randomness(1))

/** Logs so many commits of the last minute, as the relay has done by now; every sixth is of this minute. */
function log({ table, clock }: World, space: Space, count: number): void {
  const key = logHeads.key(space)
  const before = Number(table.item(TABLE, key)?.position?.N ?? 0)
  const next = { ...space, position: before + count * EVENTS, at: clock.now(), counts: {} }
  for (let commit = 0; commit < count; commit += 1) {
    const last = before + (commit + 1) * EVENTS
    const at = { pk: spaceKey(space, 'LOG', String(Math.floor(last / 100_000))), sk: padded(last) }
    const chunk = {
      ...space,
      first: last - EVENTS + 1,
      last,
      at: clock.now() - (commit % 6 === 5 ? 0 : MINUTE),
      events: COMMITS[commit % COMMITS.length],
    }
    table.tamper(TABLE, at, () => toAttributes({ ...chunk, ...at }))
  }
  table.tamper(TABLE, key, () => toAttributes({ ...next, ...key, ...logHeads.index?.(next), _v: before + 1 }))
}

/** Passes run eleven seconds after a minute's end. */
const nextPass = ({ clock }: World): number => (Math.floor(clock.now() / MINUTE) + 1) * MINUTE + 11_000

function forgetLog({ table }: World): void {
  for (const { pk, sk } of table.items(TABLE)) {
    if (/#LOG#\d+$/.test(pk?.S ?? '')) table.tamper(TABLE, { pk: pk?.S ?? '', sk: sk?.S ?? '' }, () => undefined)
  }
}

async function counting(spaces: readonly Space[]): Promise<void> {
  const { batchItemFailures } = await measure({ Records: [{ messageId: 'm', body: JSON.stringify({ spaces }) }] })
  if (batchItemFailures.length > 0) throw new Error('a space could not be counted')
}

const plus = (a: Units, b: Units): Units =>
  Object.fromEntries(Object.keys(a).map((name) => [name, a[name as keyof Units] + b[name as keyof Units]])) as Units

/** So many minutes of one space, each with so many runs. */
async function minutesOf(it: World, rate: number, minutes: number) {
  let spent = NOTHING
  let cpu = 0
  for (let minute = 0; minute < minutes; minute += 1) {
    await takeOne(it.ctx.table, rateWindowsKey(SPACE), { perMinute: 1_000_000, perSecond: 1_000_000 })
    it.clock.moveTo(nextPass(it))
    forgetLog(it)
    log(it, SPACE, rate)
    cpu += await cpuSeconds(async () => {
      spent = plus(spent, await unitsOf(it.table, () => counting([SPACE])))
    })
  }
  return { spent, cpu }
}

const shown = (value: number, digits = 2) => Number(value.toFixed(digits))

/** An hour and a quarter of each rate, so a roll-up is among them. */
async function costPerSpace() {
  const rows: Record<string, object> = {}
  for (const rate of RATES) {
    const it = deployed()
    await minutesOf(it, rate, 5)
    const minutes = 75
    const { spent, cpu } = await minutesOf(it, rate, minutes)
    const position = it.table.item(TABLE, folderPositions.key({ ...SPACE, folder: 'metrics' })) ?? {}
    rows[`${rate} a minute`] = {
      'write units': shown(spent.writes / minutes),
      'index units': shown(spent.copies / minutes),
      'read units': shown(spent.reads / minutes),
      'CPU ms': shown((cpu / minutes) * 1e3),
      'CPU µs a commit': Math.round((cpu / (minutes * rate)) * 1e6),
      'bytes of the position': bytesOf(position),
      'USD a month': shown((usd(spent) / minutes) * MINUTES_PER_MONTH),
      'USD for 10⁶ requests': shown((usd(spent) / (minutes * rate)) * MILLION),
    }
  }
  console.log(`one space, minutes with so many runs of ${NODES} nodes: units and CPU a minute`)
  console.table(rows)
  console.log('goals: about 8 write units an active minute; 0.26 USD a month; 38 µs a commit without SDK and double')
}

/** A whole day of one run a minute: 24 hours and the day are rolled up. */
async function costOfDay() {
  const it = deployed()
  it.clock.moveTo(Date.parse('2026-11-21T00:00:00.000Z'))
  const { spent } = await minutesOf(it, 1, 1_450)
  const { spent: withoutRolls } = await minutesOf(it, 1, 40)
  const rolls = spent.writes - (withoutRolls.writes / 40) * 1_450
  console.log(
    `a day of one run a minute: roll-ups are ${shown(rolls / 1_450)} of ${shown(spent.writes / 1_450)} write units a minute`,
  )
}

async function define({ ctx }: World, rules: number, slos: number): Promise<void> {
  for (let rule = 0; rule < rules; rule += 1) {
    const condition = { kind: 'threshold', metric: 'execution_success', aggregation: 'ratio', op: 'gt', threshold: 0.9 }
    await createRule(ctx, RuleInput.parse({ name: `rule ${rule}`, severity: 'low', window: '1h', ...condition }))
  }
  for (let slo = 0; slo < slos; slo += 1) {
    const sli = { metric: 'execution_success', filter: { node_id: `node.${slo % NODES}` } }
    await createSlo(
      ctx,
      SloInput.parse({ name: `slo-${slo}`, sli, target_percent: 99, measurement_window: 'rolling-28d' }),
    )
  }
}

/** What a pass reads, by what there is to watch. */
async function costOfWatching() {
  const rows: Record<string, object> = {}
  const cases: [name: string, rules: number, slos: number, rate: number][] = [
    ['built-in rules, healthy', 0, 0, 10],
    ['50 rules, 20 objectives, healthy', 50, 20, 10],
    ['50 rules, 20 objectives, some runs fail', 50, 20, 200],
  ]
  for (const [name, rules, slos, rate] of cases) {
    const it = deployed()
    await define(it, rules, slos)
    await minutesOf(it, rate, 10)
    const minutes = 20
    let spent = NOTHING
    for (let minute = 0; minute < minutes; minute += 1) {
      it.clock.moveTo(nextPass(it))
      forgetLog(it)
      log(it, SPACE, rate)
      spent = plus(spent, await unitsOf(it.table, () => counting([SPACE])))
    }
    rows[name] = {
      'calls a minute': shown(spent.calls / minutes),
      'read units a minute': shown(spent.reads / minutes),
      'write units a minute': shown(spent.writes / minutes),
    }
  }
  console.log('what is read of a space a minute to evaluate its rules, counting included')
  console.table(rows)
}

/** All spaces have one run in the same minute: the sweeper finds them, the worker counts them. */
async function costOfTenants(tenants: number) {
  const it = deployed()
  const spaces = Array.from({ length: tenants }, (_, index): Space => ({ tenant_id: `ten_${index}`, mode: 'live' }))
  await sweep({})
  for (const space of spaces) {
    const head = {
      ...headKey(space),
      size: 0,
      last: new Uint8Array(32),
      frontier: [],
      last_block: 0,
      finalized: 0,
      counts: {},
    }
    it.table.tamper(TABLE, headKey(space), () => toAttributes({ ...head, ...heads.index?.(head), _v: 1 }))
  }
  it.clock.moveTo(it.clock.now() + MINUTE)
  const idle = await unitsOf(it.table, () => sweep({}))
  for (const space of spaces) log(it, space, 1)
  it.clock.moveTo(it.clock.now() + 2 * MINUTE)
  it.sqs.messages.length = 0
  const swept = await unitsOf(it.table, () => sweep({}))
  const messages = it.sqs.messages.filter(({ queue }) => queue.endsWith('/measure'))
  let spent = NOTHING
  const cpu = await cpuSeconds(async () => {
    spent = await unitsOf(it.table, async () => {
      for (const { body } of messages) await counting((JSON.parse(body) as { spaces: Space[] }).spaces)
    })
  })
  return {
    'sweep, idle: index queries': idle.indexQueries,
    keys: idle.keys,
    'read units': shown(idle.reads, 1),
    'sweep, all active: index queries': swept.indexQueries,
    'read units ': shown(swept.reads, 1),
    messages: messages.length,
    'count: write units a space': shown((spent.writes + spent.copies) / tenants),
    'read units a space': shown(spent.reads / tenants),
    'CPU ms a space': shown((cpu / tenants) * 1e3),
  }
}

export async function run(args: string[]): Promise<void> {
  const most = Number(args[0] ?? TENANTS.at(-1))
  await costPerSpace()
  await costOfDay()
  await costOfWatching()
  const rows: Record<string, object> = {}
  for (const tenants of TENANTS.filter((count) => count <= most)) rows[tenants] = await costOfTenants(tenants)
  console.log('by tenants: a minute of the sweeper, and what is counted when each of them had one run')
  console.table(rows)
}
