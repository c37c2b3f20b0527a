import type { FactAsk, RequiredFacts } from '../../base/ports/facts.ts'
import { asOf, DAY } from './state.ts'
import { ratioOf } from './indicators.ts'
import { readWindow } from './read-window.ts'

const DELIVERED_DAYS = 28

/** Those to endpoints that are gone count, too. */
export async function deliveries({ ctx }: FactAsk): Promise<RequiredFacts['deliveries']> {
  const until = await asOf(ctx)
  const counts = await readWindow(ctx, { from: until - DELIVERED_DAYS * DAY, until })
  const { good, total } = ratioOf(counts, { metric: 'webhook_delivery' })
  return { ended: total, delivered: good }
}
