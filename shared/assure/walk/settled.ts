import { HOUR_MS } from '../../base/lib/clock.ts'
import type { Execution } from '../../govern/executions/execution.ts'
import { isUnderWay } from '../../govern/executions/states.ts'

/** Whether it has run or ended, so that it can be counted: once, although a few of these states may still change. */
export function isSettled({ status, artifacts }: Pick<Execution, 'status' | 'artifacts'>, now: number): boolean {
  const since = Date.parse(artifacts.at(-1)?.at ?? '')
  return !isUnderWay(status) || (status === 'executing' && !(now - since <= HOUR_MS))
}
