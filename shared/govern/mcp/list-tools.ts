// One page of tools: names first, then the latest versions of their nodes.
import type { Context } from '../../base/context.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { activeGovernance } from '../governance/governance.ts'
import { loadVersion } from '../manifests/load.ts'
import { nodeHeads } from '../manifests/node.ts'
import { isNameOf } from '../manifests/tool-names.ts'
import type { NamesPage } from './list-names.ts'
import { OWN_TOOLS } from './own-tools.ts'
import type { Tool } from './tool.ts'

/** A version may have 262 KB. */
const AT_ONCE = 8

/** The service's own tools end the last page. A name whose action is gone is left out. The classifier loads with the first list. */
export async function listTools(
  ctx: Context,
  { names, next }: NamesPage,
): Promise<{ tools: Tool[]; nextCursor?: string }> {
  const { table, space } = ctx
  const nodes = [...new Set(names.map(({ node_id }) => node_id))]
  const [heads, governance] = await Promise.all([
    table.getAll(
      nodeHeads,
      nodes.map((node_id) => ({ ...space, node_id })),
    ),
    activeGovernance(table, space),
  ])
  const versions = await inParallel(AT_ONCE, heads, ({ node_id, latest }) => loadVersion(table, space, node_id, latest))
  const { toolOf } = await import('./tool.ts')
  const loaded = new Map(versions.map((version) => [version?.node.id, version]))
  const tools = names.filter(isNameOf).flatMap(({ name, node_id, action_id }) => {
    const version = loaded.get(node_id)
    const endpoint = version?.endpoints.get(action_id)
    return version && endpoint ? [toolOf(name, version, endpoint, governance)] : []
  })
  if (next !== undefined) return { tools, nextCursor: next }
  return { tools: [...tools, ...OWN_TOOLS.map(({ tool }) => tool)] }
}
