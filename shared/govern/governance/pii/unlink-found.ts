// The erasure of personal data takes the pseudonyms out of PII events.
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { DIRECTIONS } from '../../../base/catalog/measure-words.ts'
import type { Context } from '../../../base/context.ts'
import { inParallel } from '../../../base/lib/in-parallel.ts'
import { piiEvents } from './event.ts'

const AT_ONCE = 16

/** Removes the pseudonyms of values that were found in executions. The counts remain. May be repeated. */
export async function unlinkFound(ctx: Context, executionIds: readonly string[]): Promise<void> {
  const keys = executionIds.flatMap((execution_id) =>
    DIRECTIONS.map((direction) => ({ ...ctx.space, execution_id, direction })),
  )
  const found = await ctx.table.getAll(piiEvents, keys)
  await inParallel(
    AT_ONCE,
    found.filter(({ links }) => links.length > 0),
    async (one) => {
      const condition = { expression: 'attribute_exists(pk)' }
      await ctx.table.update(piiEvents.key(one), { set: { links: [] }, condition }).catch((error: unknown) => {
        if (!(error instanceof ConditionalCheckFailedException)) throw error // it expired meanwhile
      })
    },
  )
}
