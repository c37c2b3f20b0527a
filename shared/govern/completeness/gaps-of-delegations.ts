// Holds delegations against the artifacts of their beginning and end, because whoever writes to the table could name a delegate
// there, or bring an ended delegation back to life.
import type { Context } from '../../base/context.ts'
import type { Key } from '../../base/table/entity.ts'
import { artifactIdOf, artifactKey, readable } from '../../ledger/evidence/artifact/artifact.ts'
import { readHeader } from '../../ledger/evidence/artifact/referenced-artifacts.ts'
import { type ViewableArtifact, viewableArtifacts } from '../../ledger/evidence/artifact/view.ts'
import { gap, type Gaps, NO_GAPS, sumOf } from '../../ledger/evidence/verify/gaps.ts'
import { type Delegation, delegations } from '../delegations/delegation.ts'
import { ends, proves } from '../delegations/proof.ts'

/** From the chain to the table. `found`: any artifacts; those about delegations are looked at. */
export async function gapsOfDelegationsIn(ctx: Context, found: readonly ViewableArtifact[]): Promise<Gaps> {
  const headers = found
    .filter(({ facts }) => facts.type === 'delegation.created' || facts.type === 'delegation.ended')
    .flatMap(({ header }) => readHeader(header) ?? [])
  const keys = headers.map(({ subject, data }) => ({
    ...ctx.space,
    id: subject?.id ?? '',
    from_user_id: typeof data?.from_user_id === 'string' ? data.from_user_id : '',
  }))
  const rows = await ctx.table.getAll(readable(delegations), keys)
  const byId = new Map(rows.flatMap((row) => (row ? [[row.id, row] as const] : [])))
  return sumOf(
    headers.map((header) => {
      const id = header.subject?.id ?? ''
      const row = byId.get(id)
      if (!row) return gap(id, { missing: 1 })
      const agrees = header.type === 'delegation.created' ? proves(header, row) : row.ended_at !== undefined
      return agrees ? NO_GAPS : gap(id, { contradicted: 1 })
    }),
  )
}

/** From the table to the chain. */
export async function gapsOfDelegations(ctx: Context, keys: readonly Key[]): Promise<Gaps> {
  const read = await ctx.table.read(readable(delegations), keys)
  const rows = read.filter((one) => one !== undefined)
  const named = rows.flatMap(({ artifact_id, end_artifact_id }) => [
    artifact_id,
    ...(end_artifact_id === undefined ? [] : [end_artifact_id]),
  ])
  const items = await ctx.table.read(
    viewableArtifacts,
    named.map((id) => artifactKey(ctx.space, id)),
  )
  const headers = new Map(
    items.flatMap((item) => (item ? [[artifactIdOf(item.sk), readHeader(item.header)] as const] : [])),
  )
  const gapOf = (row: Delegation): Gaps => {
    const begun = headers.get(row.artifact_id)
    if (!begun) return gap(row.id, { missing: 1 })
    const ended = headers.get(row.end_artifact_id ?? '')
    const agrees = proves(begun, row) && (row.ended_at === undefined || (ended !== undefined && ends(ended, row)))
    return agrees ? NO_GAPS : gap(row.id, { contradicted: 1 })
  }
  return sumOf([...rows.map(gapOf), { ...NO_GAPS, missing: read.length - rows.length }])
}
