import type { Context } from '../../base/context.ts'
import type { Following, Write } from '../../base/table/entity.ts'
import { unpackCounted } from './counted.ts'
import { type Added, counterItems, takeWrite } from './item.ts'
import { givenBack } from './window.ts'

const TRIES = 4

/**
 * Takes an execution from the counters that give back after this outcome, in the transaction that stores it. Where too many
 * others write a counter meanwhile, it stays counted there.
 */
export function giveBack(ctx: Context, counted: string | undefined, outcome: 'failed' | 'undone'): Following[] {
  return unpackCounted(counted)
    .filter(({ give_back }) => give_back.has(outcome))
    .map((one) => {
      let tries = 0
      return { following: async () => ((tries += 1) > TRIES ? [] : takeFrom(ctx, one)) }
    })
}

/** A share of an item as it stands now. */
export async function takeFrom({ table, space }: Context, one: Added): Promise<Write[]> {
  const was = await table.get(counterItems, { ...space, ...one })
  return was ? [takeWrite(space, one, was, givenBack(was, one.n, one.bucket))] : []
}
