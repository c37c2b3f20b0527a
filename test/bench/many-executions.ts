// Executions of a tenant that are not stored: the table makes them when it is asked, so that there may be any number of them.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'

import { type Approval, approvals } from '../../shared/govern/approvals/approval.ts'
import { type Execution, executions } from '../../shared/govern/executions/execution.ts'
import { timeOfId, ulid } from '../../shared/base/lib/ids.ts'
import type { Call } from '../support/memory-table.ts'
import { approvedAt, executionAt } from '../unit/assure/space.ts'
import { SPACE } from '../unit/ledger/evidence/world.ts'
import { counterBytes } from './counter-ids.ts'

type Item = Record<string, AttributeValue>
type Query = { IndexName?: string; Limit?: number; ExpressionAttributeValues?: Record<string, AttributeValue> }
type Keys = { RequestItems: Record<string, { Keys?: Item[] }> }

/** One in twenty is held and approved. */
const HELD_EACH = 20
const EXECUTION = /#EXEC#(exe_\w+)$/
const APPROVAL = /#APPROVAL#(apr_\w+)$/

export class ManyExecutions {
  /** Ids by partition of the list, in their order. */
  readonly #lists = new Map<string, string[]>()
  readonly #open = new Set<string>()
  #made = 0
  /** How many the table was asked for. */
  read = 0

  /** So many, evenly between two instants (ms). The newest are `open`: they wait for their approval. */
  add(count: number, { from, to, open = 0 }: { from: number; to: number; open?: number }): void {
    for (let n = 0; n < count; n += 1) {
      this.#made += 1
      const id = `exe_${ulid(Math.floor(from + ((to - from) * n) / count), counterBytes(this.#made))}`
      const { gsi1pk = '' } = executions.index?.({ ...TEMPLATE, id }) ?? {}
      const list = this.#lists.get(gsi1pk) ?? []
      this.#lists.set(gsi1pk, list)
      list.push(id)
      if (n >= count - open) this.#open.add(id)
    }
  }

  /** For the hook of the table. */
  readonly answer = (call: Call, stored: (key: Item) => Item | undefined): object | undefined => {
    if (call.name === 'Query') return this.#query(call.input)
    if (call.name !== 'BatchGetItem') return undefined
    const [[name, { Keys = [] }] = ['', {}]] = Object.entries((call.input as Keys).RequestItems)
    const items = Keys.map((key) => this.#item(key.pk?.S ?? '') ?? stored(key)).filter((item) => item !== undefined)
    return { Responses: { [name]: items } }
  }

  #query({ IndexName, Limit, ExpressionAttributeValues: values = {} }: Query): object | undefined {
    const list = IndexName === 'gsi1' ? this.#lists.get(values[':pk']?.S ?? '') : undefined
    if (!list) return undefined
    const [low, high] = [values[':low']?.S ?? '', values[':high']?.S ?? '~']
    const begin = placeOf(list, low)
    const ids = list.slice(begin, Limit === undefined ? undefined : begin + Limit).filter((id) => id <= high)
    return { Items: ids.map((id) => keyOf(id, values[':pk'])), Count: ids.length }
  }

  #item(pk: string): Item | undefined {
    const id = EXECUTION.exec(pk)?.[1] ?? APPROVAL.exec(pk)?.[1]?.replace('apr_', 'exe_')
    if (id === undefined) return undefined
    const { execution, approval } = this.#madeUp(id)
    if (APPROVAL.test(pk)) return approval && approvals.insert(approval).item.Put?.Item
    this.read += 1
    return executions.insert(execution).item.Put?.Item
  }

  #madeUp(id: string): { execution: Execution; approval?: Approval } {
    const at = timeOfId(id)
    if (this.#open.has(id)) return { execution: executionAt(at, { id, status: 'pending_approval' }) }
    if (at % HELD_EACH > 0) return { execution: executionAt(at, { id }) }
    const approval_id = id.replace('exe_', 'apr_')
    const { execution, approval } = approvedAt(at, ['usr_other'], { id: approval_id })
    return { execution: { ...execution, id }, approval: { ...approval, request_id: id } }
  }
}

const TEMPLATE = executionAt(0)

const keyOf = (id: string, gsi1pk: AttributeValue | undefined): Item => {
  const { pk, sk } = executions.key({ ...SPACE, id })
  return { pk: { S: pk }, sk: { S: sk }, gsi1sk: { S: id }, ...(gsi1pk && { gsi1pk }) }
}

/** Of the first id that is not smaller. */
function placeOf(list: readonly string[], low: string): number {
  let [from, to] = [0, list.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((list[middle] ?? '') < low) from = middle + 1
    else to = middle
  }
  return from
}
