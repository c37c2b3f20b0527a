// Stand-in for Lambda: imports a function's source into this process and calls it with event, context and deadline as in
// AWS. All functions share this process and its environment.
import { randomUUID } from 'node:crypto'
import { inTrace } from '../../shared/base/lib/trace.ts'
import type { Use } from '../../shared/base/wire/route.ts'
import { functionName } from '../platform.ts'
import type { Clock } from './clock.ts'
import { LOCAL_PREFIX } from './local-platform.ts'

/** A row of the surface. `file`: its source, if not `functions/<area>/<operation>.ts`. */
export type FunctionRow = {
  id: string
  area: string
  operation: string
  file?: string
  uses?: readonly Use[]
  timeoutSeconds?: number
  memoryMb?: number
}

/** Rejects with the function's error or `TaskTimedOut`. The result is copied through JSON, as in AWS. */
export type Invoke = (row: FunctionRow, event: unknown) => Promise<unknown>

export class TaskTimedOut extends Error {}

type Handler = (event: unknown, context: object) => Promise<unknown>

/** Default time-out. */
export const TIMEOUT_SECONDS = 10
const MEMORY_MB = 512

type Around = { before?: (row: FunctionRow) => Promise<void>; after?: () => void; patience?: number }

/** `before` runs before an invocation, `after` runs after it, also after an error. `patience` multiplies the time-out. */
export function functionHost(clock: Clock, { before, after, patience = 1 }: Around = {}): Invoke {
  return async (row, event) => {
    await before?.(row)
    const handler = await load(row)
    const timeoutMs = (row.timeoutSeconds ?? TIMEOUT_SECONDS) * 1_000 * patience
    const deadline = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => deadline.reject(new TaskTimedOut(`${row.id} timed out after ${timeoutMs / 1_000} seconds`)),
      timeoutMs,
    )
    try {
      const call = inTrace(invocationTrace(), () =>
        handler(copy(event), contextOf(row, clock.now() + timeoutMs, clock)),
      )
      return copy(await Promise.race([call, deadline.promise]))
    } finally {
      clearTimeout(timer)
      after?.()
    }
  }
}

/** Each invocation has one, as in AWS. */
const invocationTrace = () => randomUUID().replaceAll('-', '')

/** Imports all functions before their first call. Returns the errors of failed imports. */
export async function loadAll(rows: readonly FunctionRow[]): Promise<unknown[]> {
  const loaded = await Promise.allSettled(rows.map((row) => load(row)))
  return loaded.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
}

/** A copy through JSON, as between AWS services. */
export const copy = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)))

/** The handler of a row. Rows that stream have handlers of another type. */
export async function load<H = Handler>(row: FunctionRow): Promise<H> {
  const { area, operation, file = `functions/${area}/${operation}.ts` } = row
  const source = new URL(`../../${file}`, import.meta.url)
  const { handler } = (await import(source.href)) as { handler: H } // each row has its file (architecture test)
  return handler
}

export function contextOf(row: FunctionRow, deadline: number, clock: Clock): object {
  const name = functionName(LOCAL_PREFIX, row)
  return {
    awsRequestId: randomUUID(),
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
    memoryLimitInMB: String(row.memoryMb ?? MEMORY_MB),
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - clock.now()),
  }
}
