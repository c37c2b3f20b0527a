// Versions of policies and manifests, and whether the audit log tells of each. They are read anew each time: what matters is that
// nobody has removed an entry since.
import type { Context } from '../../base/context.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { spaceKey } from '../../base/table/entity.ts'
import { policies, policiesOf, policyVersions } from '../../govern/governance/stored-rules.ts'
import { nodeHeads, nodesPartition, nodeVersions, versionsPartition } from '../../govern/manifests/node.ts'
import { type AuditEntry, auditEntries, resourcePartition } from '../../ledger/audit/entry.ts'
import { readable } from '../../ledger/evidence/artifact/readable.ts'

const AT_ONCE = 10

type Made = { resource: { type: string; id: string }; versions: { version: string | number; before?: number }[] }

/** Those made since an instant (ms). `id`: `<resource>@<version>`. */
export async function versionsSince(ctx: Context, since: number): Promise<{ id: string; traced: boolean }[]> {
  const made = [...(await policiesSince(ctx, since)), ...(await nodesSince(ctx, since))]
  const found = await inParallel(AT_ONCE, made, async ({ resource, versions }) => {
    const entries = await entriesOf(ctx, resource)
    return versions.map((one) => ({
      id: `${resource.id}@${one.version}`,
      traced: entries.some((entry) => tells(entry, one)),
    }))
  })
  return found.flat()
}

/** An entry of a policy also names the version before. */
function tells({ changes }: AuditEntry, { version, before }: Made['versions'][number]): boolean {
  const change = changes.find(({ path }) => path === 'version')
  return change?.after === version && (before === undefined || change.before === before)
}

async function policiesSince({ table, space }: Context, since: number): Promise<Made[]> {
  const all = await table.query(policies, policiesOf(space))
  return inParallel(AT_ONCE, all.filter(isSince(since)), async ({ policy_id }) => {
    const versions = await table.query(policyVersions, { pk: spaceKey(space, 'POLICYVERSIONS', policy_id) })
    return {
      resource: { type: 'policy', id: policy_id },
      versions: versions
        .filter(isSince(since))
        .map(({ version }) => ({ version, ...(version > 1 && { before: version - 1 }) })),
    }
  })
}

async function nodesSince({ table, space }: Context, since: number): Promise<Made[]> {
  const all = await table.query(nodeHeads, { pk: nodesPartition(space) })
  return inParallel(AT_ONCE, all.filter(isSince(since)), async ({ node_id }) => {
    const versions = await table.query(nodeVersions, { pk: versionsPartition(space, node_id) })
    return {
      resource: { type: 'node', id: node_id },
      versions: versions
        .filter(({ created_at }) => Date.parse(created_at) >= since)
        .map(({ version }) => ({ version })),
    }
  })
}

const isSince =
  (since: number) =>
  ({ updated_at }: { updated_at: string }): boolean =>
    Date.parse(updated_at) >= since

async function entriesOf({ table, space }: Context, resource: Made['resource']): Promise<AuditEntry[]> {
  const pk = resourcePartition(space, resource)
  const found = await table.query(readable(auditEntries), { pk, index: 'gsi2' })
  return found.filter((one) => one !== undefined)
}
