// `npm run bench -- compliance [executions] [artifacts]`: what the daily run of the checks reads for a tenant with many
// executions, and the archive for an audit of many artifacts: time, memory, size.
import { auditOf, OWN } from './audit-export.ts'
import { dailyRun, MUST_READ } from './daily-run.ts'

const EXECUTIONS = [1_000, 10_000, 100_000, 750_000]
const ARTIFACTS = 1_000_000
const GOALS = { growth: 1.1, megabytes: 256 }

const shown = (value: number) => Number(value.toFixed(1))

/** Whether it reads what is new and what is open, and nothing that grows with the window. */
async function reads(most: number): Promise<boolean> {
  const rows: Record<string, object> = {}
  let least: number | undefined
  let isMet = true
  for (const count of EXECUTIONS.filter((one) => one <= most)) {
    const { first, daily } = await dailyRun(count)
    least ??= daily.reads
    isMet &&= daily.executions === MUST_READ && daily.reads <= GOALS.growth * least
    rows[count.toLocaleString('en')] = {
      'first: messages': first.messages,
      'executions read': first.executions,
      'read units': shown(first.reads),
      'daily: messages': daily.messages,
      'executions read ': daily.executions,
      'round trips': daily.trips,
      calls: daily.calls,
      'read units ': shown(daily.reads),
    }
  }
  console.log('a run of all checks by executions in the window: the first, and the daily one after it')
  console.table(rows)
  console.log(
    `goals of the daily run: ${MUST_READ} executions read; read units at most ${GOALS.growth} × the first row`,
  )
  return isMet
}

async function archive(artifacts: number): Promise<boolean> {
  const made = await auditOf(artifacts)
  const isMet = made.megabytes <= GOALS.megabytes && made.lines >= artifacts - OWN
  console.log(
    'the archive for an audit; table and buckets are stand-ins in this process, so their CPU is part of the time',
  )
  console.table([{ artifacts, ...made, 'goal: megabytes': `≤ ${GOALS.megabytes}` }])
  return isMet
}

export async function run([executions, artifacts]: string[]): Promise<void> {
  const isRead = await reads(Number(executions ?? EXECUTIONS.at(-1)))
  const isMade = await archive(Number(artifacts ?? ARTIFACTS))
  console.log({ met: isRead && isMade })
  if (!isRead || !isMade) process.exitCode = 1
}
