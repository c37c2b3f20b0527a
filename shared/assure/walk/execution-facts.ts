// What the rules ask about executions, read by key and in bulk.
import type { Context } from '../../base/context.ts'
import type { Readable } from '../../base/table/table.ts'
import { approvals } from '../../govern/approvals/approval.ts'
import { type Grant, grantById, grants, isGrantFor } from '../../govern/approvals/grants/grant.ts'
import { requestsUnder } from '../../govern/approvals/grants/list.ts'
import { type Execution, executions, RoutingDecision } from '../../govern/executions/execution.ts'
import { piiEvents } from '../../govern/governance/pii/event.ts'
import { readable } from '../../ledger/evidence/artifact/readable.ts'
import type { ExecutionFacts, GrantFacts } from '../checks/rules/executions.ts'
import type { KnownActors } from './known-actors.ts'

/** In the order of the executions. */
export async function factsOf(ctx: Context, all: readonly Execution[], actors: KnownActors): Promise<ExecutionFacts[]> {
  const ids = (some: readonly (string | undefined)[]) =>
    some.filter((id) => id !== undefined).map((id) => ({ ...ctx.space, id }))
  const inputs = all.map(({ id }) => ({ ...ctx.space, execution_id: id, direction: 'input' as const }))
  const given = await grantsUnder(ctx, all)
  const [held, undone, personal, under] = await Promise.all([
    read(ctx, approvals, ids([...all.map((one) => one.held?.id), ...given.map((one) => one.approval_id)])),
    read(ctx, executions, ids(all.map((one) => one.undo_of))),
    read(ctx, piiEvents, inputs),
    requestsUnder(
      ctx,
      given.map(({ id }) => id),
    ),
    actors.lookUp(all.map((one) => one.requested_by)),
  ])
  const approvalOf = new Map(held.map((one) => [one.id, one]))
  const grantBy = new Map(given.map((one) => [one.id, one]))
  const undoneBy = new Map(undone.map((one) => [one.id, one]))
  const external = new Set(personal.filter((one) => one.external).map((one) => one.execution_id))
  const grantUnder = (execution: Execution): GrantFacts | undefined => {
    const { id, grant_id } = execution
    const grant = grantBy.get(grant_id ?? '')
    if (grant && !isGrantFor(grant, execution)) return undefined
    const requests = under.get(grant_id ?? '')
    const uses = Math.max(grant?.uses ?? 0, requests?.size ?? 0)
    const approval = approvalOf.get(grant?.approval_id ?? '')
    return grant && { ...grant, uses, used: requests?.has(id) === true, revoked_at: grant.revoked_at, approval }
  }
  return all.map((execution) => {
    return {
      execution,
      ...decisionOf(execution),
      approval: approvalOf.get(execution.held?.id ?? ''),
      grant: grantUnder(execution),
      undone: undoneBy.get(execution.undo_of ?? ''),
      known: actors.has(execution.requested_by),
      external: external.has(execution.id),
    }
  })
}

/** One that cannot be read asks for an approval. */
function decisionOf({ routing }: Execution): Pick<ExecutionFacts, 'tier' | 'signals'> {
  const { success, data } = RoutingDecision.safeParse(jsonOf(routing))
  return success
    ? { tier: data.tier, signals: data.reasons.map(({ signal }) => signal) }
    : { tier: 'HARD', signals: [] }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The grants that the executions name, whose place depends on their payloads. */
async function grantsUnder({ table, space }: Context, all: readonly Execution[]): Promise<Grant[]> {
  const ids = new Set(all.flatMap(({ grant_id }) => grant_id ?? []))
  const found = await Promise.all([...ids].map((id) => table.query(readable(grants), grantById(space, id))))
  return found.flat().filter((one) => one !== undefined)
}

/** What breaks its schema is missing. */
async function read<T, K>({ table }: Context, of: Readable<T, K>, keys: readonly NoInfer<K>[]): Promise<T[]> {
  return (await table.getAll(readable(of), keys)).filter((one) => one !== undefined)
}
