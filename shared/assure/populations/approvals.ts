// The populations of held actions: decided approvals, and executions of tier HARD that ran.
import { type Approval, approvals as stored, statusPartition } from '../../govern/approvals/approval.ts'
import { APPROVAL_STATUSES } from '../../govern/approvals/states.ts'
import { withEvidenceOf } from '../../govern/approvals/evidence.ts'
import { type Execution, executions, type RoutingDecision } from '../../govern/executions/execution.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Window } from '../exports/window.ts'
import { pagesOf } from '../../base/wire/page-of.ts'
import { isWithin, type Population, type Row } from './population.ts'
import type * as z from 'zod'
import { timeOfId } from '../../base/lib/ids.ts'
import { receiptList } from '../exports/rows/actions.ts'

/** Longer than an approval may wait. */
const WAITS_MS = 8 * 86_400_000

const DECIDED = APPROVAL_STATUSES.filter((status) => status !== 'pending')
const DECISIONS = DECIDED.map((status) => `approval.${status}`)

export const approvals: Population = {
  name: 'approvals',
  columns: [
    'id',
    'request_id',
    'node_id',
    'action_id',
    'version',
    'requested_at',
    'requested_by_type',
    'requested_by',
    'status',
    'decided_at',
    'decided_by_type',
    'decided_by',
    'method',
    'votes',
    'voters',
    'self',
    'action_digest',
    'evidence_status',
    'artifact_ids',
  ],
  source: 'approvals of held actions',
  filter: 'decided in the window, in the order of their requests',
  rows: approvalRows,
  chain: {
    ofRow: ({ id, decided_at, requested_at }) => ({ id, at: String(decided_at ?? requested_at) }),
    ofArtifact: ({ type = '', approval }) => (DECISIONS.includes(type) ? approval?.id : undefined),
  },
}

async function* approvalRows(ctx: Context, window: Window): AsyncGenerator<Row[]> {
  const pages = pagesOf(ctx, {
    of: stored,
    index: 'gsi1',
    descending: false,
    from: iso(Date.parse(window.start_at) - WAITS_MS),
    to: window.end_at,
    groups: [{ name: 'decided', partitions: DECIDED.map((status) => statusPartition(ctx.space, status)) }],
    filter: (approval) => wasDecidedIn(approval, window),
  })
  for await (const page of pages) yield await rowsOf(ctx, page)
}

/** An approved action may be cancelled later: both are decisions. */
const wasDecidedIn = ({ decided_at, status, votes }: Approval, window: Window): boolean =>
  isWithin(decided_at, window) || (status === 'cancelled' && votes.some(({ at }) => isWithin(at, window)))

async function rowsOf(ctx: Context, page: readonly Stored<Approval>[]): Promise<Row[]> {
  const keys = page.map(({ request_id: id }) => ({ ...ctx.space, id }))
  const found = await ctx.table.getAll(executions, keys)
  const byId = new Map(found.map((one) => [one.id, one]))
  const proven = await withEvidenceOf(ctx, page, found)
  return proven.map((one) => approvalRow(one, byId.get(one.request_id)))
}

type Proven = Awaited<ReturnType<typeof withEvidenceOf>>[number]

function approvalRow(approval: Proven, execution: Execution | undefined): Row {
  const { requested_by, decided_by, votes } = approval
  const artifacts = execution?.artifacts.filter(({ type }) => type.startsWith('approval.')) ?? []
  return {
    ...plain(approval),
    requested_by_type: requested_by.type,
    requested_by: requested_by.id,
    decided_by_type: decided_by?.type,
    decided_by: decided_by?.id,
    votes: votes.length,
    voters: votes.map(({ by }) => by.id).join(' '),
    self: votes.some(({ self }) => self === true),
    artifact_ids: artifacts.map(({ artifact_id }) => artifact_id).join(' '),
  }
}

const plain = ({ id, request_id, node_id, action_id, version, status, ...rest }: Proven) => ({
  id,
  request_id,
  node_id,
  action_id,
  version,
  requested_at: rest.requested_at,
  status,
  decided_at: rest.decided_at,
  method: rest.method,
  action_digest: rest.action_digest,
  evidence_status: rest.evidence_status,
})

export const hardExecutions: Population = {
  name: 'executions_hard',
  columns: [
    'id',
    'requested_at',
    'executed_at',
    'status',
    'node_id',
    'action_id',
    'version',
    'kind',
    'risk',
    'requested_by_type',
    'requested_by',
    'agent_id',
    'approval_id',
    'undo_of',
    'policy_set_version',
    'artifact_ids',
  ],
  source: 'executions of tier HARD',
  filter: 'ran in the window, in the order of their requests',
  rows: hardRows,
}

async function* hardRows(ctx: Context, window: Window): AsyncGenerator<Row[]> {
  const start_at = iso(Date.parse(window.start_at) - WAITS_MS)
  for await (const page of pagesOf(ctx, receiptList(ctx, { start_at, end_at: window.end_at }))) {
    const ran = page.filter(({ executed_at }) => isWithin(executed_at, window))
    yield ran.flatMap((execution) => {
      const routing: z.output<typeof RoutingDecision> = JSON.parse(execution.routing)
      return routing.tier === 'HARD' ? [executionRow(execution, routing)] : []
    })
  }
}

const executionRow = (execution: Execution, { kind, risk }: z.output<typeof RoutingDecision>): Row => ({
  id: execution.id,
  requested_at: iso(timeOfId(execution.id)),
  executed_at: execution.executed_at,
  status: execution.status,
  node_id: execution.node_id,
  action_id: execution.action_id,
  version: execution.version,
  kind,
  risk,
  requested_by_type: execution.requested_by.type,
  requested_by: execution.requested_by.id,
  agent_id: execution.agent_id,
  approval_id: execution.held?.id,
  undo_of: execution.undo_of,
  policy_set_version: execution.policy_set_version,
  artifact_ids: execution.artifacts.map(({ artifact_id }) => artifact_id).join(' '),
})
