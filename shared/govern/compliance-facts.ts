// The facts of this layer for checks of compliance: policies, actions, nodes, approvals with an SLA, tasks and settings.
import type {
  ActionFact,
  FactAsk,
  FactSources,
  NodeFact,
  OptionalFacts,
  PolicyFact,
  RequiredFacts,
  TaskFact,
} from '../base/ports/check-facts.ts'
import { iso } from '../base/lib/clock.ts'
import { wholeRange } from '../base/table/whole.ts'
import { approvals, slaOf, statusPartition } from './approvals/approval.ts'
import type { Context } from '../base/context.ts'
import { ID } from '../base/wire/fields.ts'
import { findUserByEmail } from '../identity/accounts/find.ts'
import { users } from '../identity/accounts/user.ts'
import { idsByKey } from '../identity/scim/users/find-users.ts'
import { groupsOf } from '../identity/scim/groups/stored-group.ts'
import { activeGovernance } from './governance/governance.ts'
import { scopeMatches } from './governance/conditions/glob.ts'
import { knownOf } from './governance/words/opinions.ts'
import type { Policy } from './governance/policy.ts'
import { ofLatestNodes } from './manifests/view.ts'
import { allPolicies } from './policies/policy-change.ts'
import { firstId } from '../base/lib/ids.ts'
import { hasEnded, TASK_STATUSES } from './tasks/states.ts'
import { listsOf, statusPartition as taskPartition, type Task, tasks as taskItems } from './tasks/task.ts'
import { findPointer, readSettings } from './governance/settings.ts'

/** The longest time for which an approval waits: it may have been asked for so long before the window. */
const WAITS_MS = 7 * 86_400_000
const APPROVALS_MAX = 50_000

const DECIDED = ['approved', 'rejected', 'expired'] as const

/** What was dropped has neither met its SLA nor missed it. */
async function sla_approvals({ ctx, since }: FactAsk): Promise<OptionalFacts['sla_approvals']> {
  const range = { index: 'gsi1', from: iso(since - WAITS_MS) } as const
  const found = await Promise.all(
    DECIDED.map((status) =>
      wholeRange(ctx.table, approvals, { ...range, pk: statusPartition(ctx.space, status) }, APPROVALS_MAX),
    ),
  )
  return found.flat().flatMap((approval) => {
    const status = slaOf(approval)?.status
    const isDecided = (approval.decided_at ?? '') >= iso(since)
    return isDecided && (status === 'hit' || status === 'missed') ? [{ id: approval.id, met: status === 'hit' }] : []
  })
}

async function policies({ ctx }: FactAsk): Promise<PolicyFact[]> {
  const all = await allPolicies(ctx)
  return all.filter(({ enabled }) => enabled).map(({ policy_id: id, updated_at }) => ({ id, updated_at }))
}

async function actions({ ctx }: FactAsk): Promise<ActionFact[]> {
  const { set, lexicon } = await activeGovernance(ctx.table, ctx.space)
  const inForce = set.policies.map(({ policy }) => policy).filter(({ mode }) => mode === 'enforce')
  const found = await ofLatestNodes(ctx, async ({ node, stored: { trusted } }) =>
    node.endpoints.map((endpoint) => {
      const { kind } = knownOf({ node, endpoint, kindIsVouched: trusted, lexicon }).opinions
      const named = { node: node.id, category: node.category, action: endpoint.action_id, kind }
      return {
        id: `${node.id}/${endpoint.action_id}`,
        recognised: kind !== 'unknown',
        governed: inForce.some((policy) => names(policy, named)),
        target: endpoint.target?.type === 'http' ? endpoint.target.url : undefined,
      }
    }),
  )
  return found.flat()
}

export type Named = { node: string; category: string | undefined; action: string; kind: string }

/**
 * Whether the scope of a policy names an action. A list that matches everything names nothing, and what binds some agents or
 * listings leaves the others free.
 */
export function names({ scope }: Policy, { node, category, action, kind }: Named): boolean {
  const lists = [
    [scope.node_ids, node],
    [scope.categories, category],
    [scope.action_ids, action],
    [scope.action_kinds, kind],
  ] as const
  const bindsAll = scope.agents.length === 0 && scope.listing_tiers.length === 0
  const isNaming = lists.some(([globs]) => globs.length > 0 && !globs.some((glob) => /^\**$/.test(glob)))
  return bindsAll && isNaming && lists.every(([globs, text]) => scopeMatches(globs, text))
}

const nodes = ({ ctx }: FactAsk): Promise<NodeFact[]> =>
  ofLatestNodes(ctx, async ({ node: { id, owner } }) => ({ id, has_owner: await isThere(ctx, owner) }))

/** By the address or id of an active user, or the name or id of a group, without regard to case. */
async function isThere(ctx: Context, owner: string | undefined): Promise<boolean> {
  if (owner === undefined) return false
  const { table, space } = ctx
  const id = owner.toLowerCase()
  const [byEmail, byId, named] = await Promise.all([
    findUserByEmail(ctx, owner),
    ID.test(id) ? table.get(users, { tenant_id: space.tenant_id, id }) : undefined,
    idsByKey(ctx, 'displayName', owner),
  ])
  if (byEmail?.status === 'active' || byId?.status === 'active') return true
  return (await groupsOf(ctx, [id, ...named])).length > 0
}

const TASKS_MAX = 20_000

/** Tasks of one kind are in the same list as all that people made, so one query a status reads them. */
const LISTS = listsOf('general')

async function tasks({ ctx: { table, space }, since }: FactAsk): Promise<TaskFact[]> {
  const ranges = TASK_STATUSES.flatMap((status) =>
    LISTS.map((list) => ({
      pk: taskPartition(space, status, list),
      index: 'gsi1' as const,
      ...(hasEnded(status) && { from: firstId('tsk', since) }),
    })),
  )
  const found = await Promise.all(ranges.map((range) => wholeRange(table, taskItems, range, TASKS_MAX)))
  return [...new Map(found.flat().map((task) => [task.id, factOf(task)])).values()]
}

const factOf = ({ id, kind, status, source, created_at, completed_at, resolution }: Task): TaskFact => ({
  id,
  kind,
  status,
  source_id: source?.id,
  opened_at: created_at,
  ended_at: hasEnded(status) ? completed_at : undefined,
  resolved: resolution !== undefined && resolution.trim() !== '',
})

async function governance({ ctx }: FactAsk): Promise<RequiredFacts['governance']> {
  const { pii_mode } = readSettings(await findPointer(ctx.table, ctx.space))
  return { pii_mode }
}

export const governFacts = { actions, governance, nodes, policies, sla_approvals, tasks } satisfies Partial<FactSources>
