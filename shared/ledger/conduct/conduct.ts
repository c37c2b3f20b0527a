// What became of the actions of an agent, key or client: totals since its first, and the last 31 days. Only the relay writes it.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import type { CONDUCT } from '../../base/catalog/measure-words.ts'
import { bound } from '../../base/table/bound.ts'
import { spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'

export const DAYS_KEPT = 31

const count = z.int()

const Day = z.object({
  /** `yyyy-mm-dd`, UTC. */
  day: z.string(),
  ok: count,
  failed: count,
  undone: count,
  rejected: count,
  violations: count,
})
export type Day = z.output<typeof Day>

export const Conduct = z.lazy(() =>
  z.object({
    ...spaceMembers,
    actor: z.string(),
    first_at: z.string(),
    executions: count,
    approvals: count,
    rejected: count,
    undone: count,
    failed: count,
    violations: count,
    /** Oldest first; days without any are absent. */
    days: z.array(Day),
  }),
)
export type Conduct = z.output<typeof Conduct>

export type Conducted = (typeof CONDUCT)[number]

/** A request may name any text as its agent, so the actor is encoded. */
export const conducts = bound({
  name: 'CONDUCT',
  schema: Conduct,
  key: (of: Space & { actor: string }) => ({
    pk: spaceKey(of, 'CONDUCT', encodeURIComponent(of.actor.toWellFormed())),
    sk: 'CONDUCT',
  }),
})
