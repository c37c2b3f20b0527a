// What a tenant defines for its operations: objectives and alert rules. Some come built in, as code: those are stored only
// once a tenant changes one, under the id it has anyway, so founding a tenant writes nothing.
import * as z from 'zod'
import { resourceMembers } from '../../base/table/members.ts'
import type { Space } from '../../base/context.ts'
import { below } from '../../base/kernel/count.ts'
import type { Failure } from '../../base/lib/failure.ts'
import { entity, spaceKey, type Write } from '../../base/table/entity.ts'
import { digest } from '../../ledger/events/event.ts'

export const CREATOR = z.object({
  type: z.string().describe('What kind of caller it is.'),
  id: z.string().describe('Id of the caller.'),
})

/** Members that every definition has. */
export const common = {
  ...resourceMembers,
  name: z.string().describe('A name for people.'),
  created_at: z.string().describe('When it was created.'),
  updated_at: z.string().describe('When it was last changed.'),
  created_by: CREATOR.describe('The caller that created it.'),
}

export type Definition = Space & {
  id: string
  name: string
  created_at: string
  updated_at: string
  created_by: { type: string; id: string }
}

/** Facts of a definition that every answer shows beside its own members. */
export const shownBeside = {
  built_in: z.boolean().describe('Whether every tenant has it.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
}

/** A definition as it is now. `_v` is 0 for a built-in one that the tenant never changed. */
export type Defined<T> = T & { _v: number; built_in: boolean }

/** Versions begin with 1, also those of built-in definitions, which are not stored at first. */
export const versionOf = ({ _v, built_in }: { _v: number; built_in: boolean }): number => (built_in ? _v + 1 : _v)

export const operationsKey = (space: Space): string => spaceKey(space, 'OPS')

/** How many of a kind a tenant has made itself, in one mode. */
export const totals = entity({
  name: 'OPSTOTAL',
  unbound: 'bounded',
  schema: z.object({ total: z.int() }),
  key: (of: Space & { kind: string }) => ({ pk: operationsKey(of), sk: `TOTAL#${of.kind}` }),
})

/** Goes into the commit that makes one more of a kind. Throws `full` when there are `max` already. */
export const oneMore = (space: Space, kind: string, max: number, full: Failure): Write =>
  totals.update({ ...space, kind }, { add: { total: 1 }, condition: below('total', max) }, full)

/** The same in every run, so it is stored nowhere. */
export const builtInId = (prefix: string, { tenant_id, mode }: Space, name: string): string =>
  `${prefix}_${digest(`${tenant_id}#${mode}#${name}`)}`

/** The name of the rule about the burn rate of an objective. */
export const burnRuleName = (sloId: string): string => `burn-rate:${sloId}`

const BUILT_IN_SINCE = '2026-01-01T00:00:00.000Z'

/** The members of a built-in definition that no tenant has touched. */
export const builtIn = (prefix: string, space: Space, name: string) => ({
  ...space,
  id: builtInId(prefix, space, name),
  name,
  created_at: BUILT_IN_SINCE,
  updated_at: BUILT_IN_SINCE,
  created_by: { type: 'system', id: 'system' },
})
