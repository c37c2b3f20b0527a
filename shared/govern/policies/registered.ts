// The names that a tenant has registered, as far as a policy names any.
import type { Context } from '../../base/context.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { isCredentialId } from '../../base/lib/ids.ts'
import { knownAgents } from '../../identity/access/agent.ts'
import type { PolicyBody } from '../governance/policy.ts'
import { namedIn, type Registered } from '../governance/checks/unmatched.ts'
import { builtInNodes, loadVersion } from '../manifests/load.ts'
import { nodeHeads, nodesPartition } from '../manifests/node.ts'

/** A tenant with more nodes is not compared. */
const NODES_MAX = 500
const AT_ONCE = 8

/** The registered names that a policy can be compared with; a kind of name is absent if the policy names none, or if there are too many. */
export async function registeredFor(ctx: Context, body: PolicyBody): Promise<Registered> {
  const named = new Map(namedIn(body).map(({ what, globs }) => [what, globs]))
  const asks = (what: keyof Registered) => (named.get(what) ?? []).length > 0
  const agents = asks('agents') ? await agentsAmong(ctx, named.get('agents') ?? []) : undefined
  if (!asks('nodes') && !asks('actions') && !asks('categories')) return { agents }
  const { table, space } = ctx
  const heads = await table.query(nodeHeads, { pk: nodesPartition(space), limit: NODES_MAX + 1 })
  if (heads.length > NODES_MAX) return { agents }
  const nodes = [...builtInNodes().map(({ id }) => id), ...heads.map(({ node_id }) => node_id)]
  if (!asks('actions') && !asks('categories')) return { nodes, agents }
  const loaded = await inParallel(AT_ONCE, heads, ({ node_id, latest }) => loadVersion(table, space, node_id, latest))
  const all = [...builtInNodes(), ...loaded.flatMap((version) => version?.node ?? [])]
  const actions = all.flatMap(({ endpoints }) => endpoints.map(({ action_id }) => action_id))
  return { nodes, agents, actions, categories: all.flatMap(({ category }) => category ?? []) }
}

/** Globs and credentials count as known: no list of agents shows whether they match one. */
async function agentsAmong(ctx: Context, globs: readonly string[]): Promise<string[]> {
  const exact = globs.filter((glob) => !glob.includes('*') && !isCredentialId(glob))
  const others = globs.filter((glob) => !exact.includes(glob))
  return [...others, ...(await knownAgents(ctx, exact))]
}
