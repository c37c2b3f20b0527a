// Remembers the answer of a receiver until it is recorded. When the table refuses the record, the attempt is repeated soon, and
// a repeat in the same container records the answer that is known instead of sending the event again.
import type { Context } from '../../base/context.ts'
import { memory } from '../../base/lib/memory.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Delivery } from './delivery.ts'
import { type Ended, finishAttempt } from './finish.ts'
import type { Posted } from './post.ts'

const answers = /* @__PURE__ */ memory<Posted>(1_000)

const nameOf = ({ tenant_id, mode, id, attempt }: Delivery) => `${tenant_id}/${mode}/${id}/${attempt + 1}`

/** Whether the next attempt of this delivery was made here and only has to be recorded. */
export const isAnswered = (delivery: Delivery): boolean => answers.has(nameOf(delivery))

/** Makes the next attempt of a delivery by `send`, unless its answer is known, and records it. */
export async function postOnce(
  ctx: Context,
  { was, endpoint }: Omit<Ended, 'posted'>,
  send: () => Promise<Posted>,
): Promise<Stored<Delivery>> {
  const name = nameOf(was)
  const posted = answers.get(name) ?? (await send())
  answers.set(name, posted)
  const stored = await finishAttempt(ctx, { was, endpoint, posted })
  answers.delete(name)
  return stored
}
