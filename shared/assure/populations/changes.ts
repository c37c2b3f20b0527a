// The population of changes: versions of policies and manifests. A version never changes, and names the person or key that
// saved it.
import { policies, policiesOf, policyVersions } from '../../govern/governance/stored-rules.ts'
import { nodeHeads, nodesPartition, nodeVersions, versionsPartition } from '../../govern/manifests/node.ts'
import type { Context } from '../../base/context.ts'
import { spaceKey } from '../../base/table/entity.ts'
import type { Window } from '../exports/window.ts'
import { pagesOf } from '../../base/wire/page-of.ts'
import { isWithin, type Population, type Row } from './population.ts'

export const changes: Population = {
  name: 'changes',
  columns: [
    'id',
    'at',
    'kind',
    'resource_id',
    'version',
    'previous_version',
    'saved_by_type',
    'saved_by',
    'enabled',
    'sha256',
  ],
  source: 'versions of policies and manifests',
  filter: 'saved in the window',
  rows: changeRows,
  chain: {
    ofRow: ({ id, at }) => ({ id, at: String(at) }),
    ofArtifact: ({ type, subject, data, node_id, version }) => {
      if (type === 'policy.updated') return idOf(subject?.id ?? '', textOf(data?.['version']))
      return type === 'manifest.registered' ? idOf(node_id ?? subject?.id ?? '', version ?? '') : undefined
    },
  },
}

/** Versions of policies are numbers. */
const textOf = (version: unknown): string => (typeof version === 'number' ? String(version) : '')

const idOf = (resource: string, version: string): string => `${resource}@${version}`

/** A tenant saves few versions, so all of a window are sorted in memory. */
async function* changeRows(ctx: Context, window: Window): AsyncGenerator<Row[]> {
  const rows = [...(await policyRows(ctx, window)), ...(await manifestRows(ctx, window))]
  yield rows.sort((a, b) => (`${String(a['at'])}#${a.id}` < `${String(b['at'])}#${b.id}` ? -1 : 1))
}

async function policyRows(ctx: Context, window: Window): Promise<Row[]> {
  const rows: Row[] = []
  const heads = await ctx.table.query(policies, policiesOf(ctx.space))
  for (const { policy_id } of heads) {
    const groups = [{ name: policy_id, partitions: [spaceKey(ctx.space, 'POLICYVERSIONS', policy_id)] }]
    for await (const page of pagesOf(ctx, { of: policyVersions, descending: false, groups }))
      for (const { version, updated_at: at, updated_by, enabled } of page) {
        if (!isWithin(at, window)) continue
        const previous_version = version > 1 ? version - 1 : null
        rows.push({
          id: idOf(policy_id, String(version)),
          at,
          kind: 'policy',
          resource_id: policy_id,
          version,
          previous_version,
          saved_by_type: updated_by.type,
          saved_by: updated_by.id,
          enabled,
        })
      }
  }
  return rows
}

async function manifestRows(ctx: Context, window: Window): Promise<Row[]> {
  const rows: Row[] = []
  const heads = await ctx.table.query(nodeHeads, { pk: nodesPartition(ctx.space) })
  for (const { node_id } of heads) {
    let previous_version: string | null = null
    const groups = [{ name: node_id, partitions: [versionsPartition(ctx.space, node_id)] }]
    for await (const page of pagesOf(ctx, { of: nodeVersions, descending: false, groups }))
      for (const { version, created_at: at, registered_by, manifest_sha256: sha256 } of page) {
        if (isWithin(at, window))
          rows.push({
            id: idOf(node_id, version),
            at,
            kind: 'manifest',
            resource_id: node_id,
            version,
            previous_version,
            saved_by_type: registered_by.type,
            saved_by: registered_by.id,
            sha256,
          })
        previous_version = version
      }
  }
  return rows
}
