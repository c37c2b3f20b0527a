// What a vote is decided by: the approval with its execution, the policies in force, the action and the earlier voters.
import type { Space } from '../../base/context.ts'
import { type Execution, executions } from '../executions/execution.ts'
import { activeGovernance, type InForce } from '../governance/governance.ts'
import { notFound } from '../../base/lib/failure.ts'
import { findAction, type LoadedAction, type LoadedVersion, loadVersion } from '../manifests/load.ts'
import { actorsBehind } from '../executions/measures.ts'
import { type LearnedReads, readLearned } from '../learned/learned-for.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { type Approval, approvals } from './approval.ts'
import { endedAccess } from './revoked-access.ts'
import type { EligibleVoter } from './votes/eligible.ts'

/** Everything that decides on a vote. `action` is undefined when the node no longer has it. */
export type VoteInputs = {
  governance: InForce
  held: Stored<Approval>
  execution: Stored<Execution>
  action: LoadedAction | undefined
  /** The version that the approval is about. */
  pinned: LoadedVersion | undefined
  learned: LearnedReads
  /** Earlier voters who may still vote, by id. */
  eligible: Map<string, EligibleVoter>
  /** Why the requester may not ask any more. */
  ended: string | undefined
}

/** The reads of a vote, in two round trips: approval and policies first, then what the approval names. */
export async function loadVoteInputs(
  table: Table,
  space: Space,
  { params }: { params: Record<string, string> },
): Promise<VoteInputs> {
  const [held, governance] = await Promise.all([
    table.get(approvals, { ...space, id: params.id ?? '' }),
    activeGovernance(table, space),
  ])
  if (!held) throw notFound('approval')
  const { node_id, action_id } = held
  const [execution, action, pinned, learned, eligible, ended] = await Promise.all([
    table.get(executions, { ...space, id: held.request_id }),
    findAction(table, space, node_id, action_id),
    loadVersion(table, space, node_id, held.version),
    readLearned(table, space, { node_id, action_id, actors: actorsBehind(held) }),
    earlierVoters(table, space, held),
    endedAccess(table, space, held),
  ])
  if (!execution) throw notFound('approval')
  return { governance, held, execution, action, pinned, learned, eligible, ended }
}

/** Loaded only for an approval that has votes. */
async function earlierVoters(table: Table, space: Space, held: Approval): Promise<Map<string, EligibleVoter>> {
  if (held.votes.length === 0) return new Map()
  const { eligibleVoters } = await import('./votes/eligible.ts')
  return eligibleVoters(table, space, held)
}
