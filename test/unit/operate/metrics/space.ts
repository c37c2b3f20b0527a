// A space whose log, rate windows and tallies a test fills, and the worker that counts them.
import { expect } from 'vitest'
import { handler } from '../../../../functions/workers/measure.ts'
import type { Space } from '../../../../shared/base/context.ts'
import type { Measure } from '../../../../shared/base/catalog/measures.ts'
import { chunks, logHead, logHeads } from '../../../../shared/ledger/events/log.ts'
import { packEvents } from '../../../../shared/ledger/events/outbox.ts'
import { partsOf, readPeriods, readWindow } from '../../../../shared/operate/metrics/read-window.ts'
import { autoExecution } from '../../ledger/events/auto-execution.ts'
import { type Service, space } from '../../deliver/webhooks/service.ts'

export const RUN: Measure[] = [
  ['d', 0, 0, 84, 1, 213],
  ['r', 0, 0, 90, 0],
]

/** Appends commits of six events each in one transaction per 40, as the relay does, stated at `at` (ms). */
export async function logged(
  it: Service,
  count: number,
  measures: readonly unknown[] = RUN,
  at = it.clock.now(),
  node?: string,
  of: Space = space,
): Promise<void> {
  const events = packEvents(autoExecution(node), measures as Measure[]) // the packed text is read back as it is
  for (let left = count; left > 0; left -= 40) {
    const ctx = it.ctx(of)
    const head = await logHead(ctx)
    const made = Array.from({ length: Math.min(left, 40) }, (_, index) => head.position + 6 * index + 1)
    const next = { ...head, position: head.position + 6 * made.length, at }
    await ctx.table.commit([
      head._v === 0 ? logHeads.insert(next) : logHeads.replace(next, head),
      ...made.map((first) => chunks.insert({ ...of, first, last: first + 5, at, events })),
    ])
  }
}

export const measure = (spaces: readonly Space[] = [space]) =>
  handler({ Records: [{ messageId: 'm-1', body: JSON.stringify({ spaces }) }] })

const DAY = 86_400_000

/** Everything that was counted in a window; days, hours and minutes must agree, but for which nodes have a name. */
export async function counted(it: Service, from = it.clock.now() - 3 * DAY, until = it.clock.now() + 60_000) {
  const ctx = it.ctx()
  const span = { from: Math.floor(from / 60_000) * 60_000, until: Math.floor(until / 60_000) * 60_000 }
  const all = (await readWindow(ctx, span)).all()
  const minutes: Record<string, number> = {}
  for (const { counts } of await readPeriods(ctx, 'M', span)) {
    for (const [series, sum] of Object.entries(counts.all())) minutes[series] = (minutes[series] ?? 0) + sum
  }
  expect(all, `parts ${JSON.stringify(partsOf(span))}`).toEqual(minutes)
  return all
}

/** Makes the n-th call of the database fail, and all after it; whether there were so many. */
export async function dyingAt(it: Service, call: number, run: () => Promise<unknown>): Promise<boolean> {
  const send = it.table.send.bind(it.table)
  let calls = 0
  it.table.send = async (command) => {
    calls += 1
    if (calls < call) return send(command)
    if (calls === call && call % 2 === 0) await send(command) // the answer is lost
    throw new Error('the process dies')
  }
  await run().catch(() => undefined)
  it.table.send = send
  return calls >= call
}
