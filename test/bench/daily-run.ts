// What the daily run of all checks reads, by the number of executions in the window: first when nothing was counted yet, then a
// day later with the executions of that day.
import { handler } from '../../functions/workers/run-checks.ts'
import { type CheckedSpace, checkedSpace, DAY } from '../unit/assure/space.ts'
import { SPACE, TABLE } from '../unit/ledger/evidence/world.ts'
import { NOTHING, type Units, unitsOf } from './capacity.ts'
import { ManyExecutions } from './many-executions.ts'

const WINDOW_DAYS = 90
/** Requested a day, when the window is full. */
const NEW = 500
const OPEN = 50
const MESSAGES_MAX = 200

type Cost = Units & { messages: number; executions: number }

/** The tenant of the bench, as its table shows it to the real worker. */
async function tenantWith(count: number) {
  const it = await checkedSpace()
  Object.assign(process.env, { FILES_BUCKET: 'files', TENANT_KEY_ID: 'tenant', DATA_KEYS_TABLE_NAME: 'keys' })
  const many = new ManyExecutions()
  const stored = (key: { pk?: { S?: string }; sk?: { S?: string } }) =>
    it.table.item(TABLE, { pk: key.pk?.S ?? '', sk: key.sk?.S ?? '' })
  it.table.hooks = { instead: (call) => many.answer(call, stored) }
  const now = it.clock.now()
  many.add(count, { from: now - (WINDOW_DAYS - 1) * DAY, to: now - DAY, open: OPEN })
  await it.enable('soc2', { window_days: WINDOW_DAYS })
  return { it, many }
}

/** A full run, message by message. */
async function runAll(it: CheckedSpace, many: ManyExecutions): Promise<Cost> {
  const { id } = await it.ask({ trigger: 'schedule', scope: 'full' })
  const body = JSON.stringify({ ...SPACE, run_id: id })
  const [before, spent] = [many.read, { ...NOTHING }]
  for (let messages = 1; messages <= MESSAGES_MAX; messages += 1) {
    const units = await unitsOf(it.table, () => handler({ Records: [{ messageId: 'm', body }] }))
    for (const name of Object.keys(units) as (keyof Units)[]) spent[name] += units[name]
    const run = await it.run(id)
    if (run?.status === 'completed') return { ...spent, messages, executions: many.read - before }
  }
  throw new Error('the run does not end')
}

export async function dailyRun(count: number): Promise<{ first: Cost; daily: Cost }> {
  const { it, many } = await tenantWith(count)
  const first = await runAll(it, many)
  it.later(DAY)
  many.add(NEW, { from: it.clock.now() - DAY / 2, to: it.clock.now() - DAY / 4 })
  return { first, daily: await runAll(it, many) }
}

/** What has to be read: what is new, and what was open. */
export const MUST_READ = NEW + OPEN
