// How much attention each vote of the window got. That needs the votes around the window, too, since a vote is rushed by the one
// before it.
import type { Context } from '../../base/context.ts'
import { readPage } from '../../base/wire/pagination.ts'
import { type Approval, approvals, type Vote } from '../../govern/approvals/approval.ts'
import { attentionOf, type Cast } from '../../govern/approvals/votes/attention.ts'
import { executionsBetween } from '../../govern/executions/list.ts'
import type { Execution } from '../../govern/executions/execution.ts'
import type { Stored } from '../../base/table/entity.ts'

const PAGE = 1_000
/** Approvals expire within this time unless a policy says otherwise. */
const AROUND_MS = 86_400_000

/** The executions of a window, oldest first, page by page. */
export async function* pagesBetween(ctx: Context, from: number, to: number): AsyncGenerator<Stored<Execution>[]> {
  const source = executionsBetween(ctx.space, from, to)
  let last: { group: string; sort: string } | undefined
  do {
    const page = await readPage(ctx, source, PAGE, last)
    yield page.items
    last = page.last
  } while (last)
}

export type Attention = (approval: Pick<Approval, 'id'>, vote: Vote) => number

/** Seconds; 0 for a vote that was not there when the votes were read. */
export async function readAttention(ctx: Context, from: number, to: number): Promise<Attention> {
  const casts: (Cast & { name: string })[] = []
  for await (const page of pagesBetween(ctx, from - AROUND_MS, Math.min(to + AROUND_MS, ctx.now() + 1)))
    for (const { id, requested_at, votes } of await heldOf(ctx, page))
      casts.push(...votes.map((vote) => ({ persons: vote.persons, at: vote.at, requested_at, name: nameOf(id, vote) })))
  const seconds = attentionOf(casts)
  const known = new Map(casts.map(({ name }, index) => [name, seconds[index] ?? 0]))
  return ({ id }, vote) => known.get(nameOf(id, vote)) ?? 0
}

const nameOf = (approval: string, { by, at }: Vote): string => `${approval} ${by.id} ${at}`

/** The approvals of those that were held. */
export const heldOf = (ctx: Context, executions: readonly Execution[]): Promise<Stored<Approval>[]> =>
  ctx.table.getAll(
    approvals,
    executions.flatMap(({ held }) => (held ? { ...ctx.space, id: held.id } : [])),
  )
