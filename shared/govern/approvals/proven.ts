// Checks approvals against the evidence chain, because somebody with access to the table could write anything there. A vote
// counts, and an approved action runs, only with evidence.
import type { Context } from '../../base/context.ts'
import type { ArtifactType } from '../../base/catalog/artifact-types.ts'
import { chainName, hex, payloadCommitment } from '../../ledger/evidence/artifact/hashes.ts'
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import { readSequenced } from '../../ledger/evidence/chain/read-sequenced.ts'
import { type Execution, executions } from '../executions/execution.ts'
import { type OpenExecution, openSealed } from '../executions/sealed/open-execution.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import { alarm } from '../../base/lib/log.ts'
import { type Approval, approvals, type Vote } from './approval.ts'
import { approvalFacts } from './hold.ts'
import { counts } from './votes/rules.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'

type Held = { held: Approval; execution: Execution }

/** Whether the chain proves exactly the decision of the approval: request, digest, votes and decider. */
export async function isProven(ctx: Context, { held, execution }: Held): Promise<boolean> {
  const header = await lastOf(ctx, execution, 'approval.approved')
  const proven =
    header?.approval !== undefined &&
    canonicalJson(header.approval) === canonicalJson(approvalFacts(held, 'approve')) &&
    header.actor.id === held.decided_by?.id
  return proven || suspect('approval_without_evidence', held)
}

/** Whether the chain proves the request of exactly this action and, if it is HARD, its approval, grant or undo window. */
export async function mayRun(ctx: Context, { execution, opened, salt }: OpenExecution): Promise<boolean> {
  const request = await lastOf(ctx, execution, 'action.requested')
  const commitment = salt && hex(payloadCommitment(salt, opened.payload))
  const isIt =
    request && FACTS.every((fact) => request[fact] === execution[fact]) && request.payload_commitment === commitment
  if (!isIt) return suspect('execution_without_evidence', execution)
  if (request.decision?.tier !== 'HARD' || request.decision.reasons.includes('exact_inverse')) return true
  if (execution.grant_id && request.data?.grant_id === execution.grant_id) return true
  const held = execution.held && (await ctx.table.get(approvals, { ...ctx.space, id: execution.held.id }))
  return held ? isProven(ctx, { held, execution }) : suspect('execution_without_evidence', execution)
}

const FACTS = ['node_id', 'action_id'] as const

function suspect(event: string, { id }: { id: string }): false {
  alarm(event, 'the table states what the chain does not prove', { id })
  return false
}

/** The votes that the chain proves, one for each voter. The others were never given. */
export async function provenVotes(ctx: Context, { held, execution }: Held): Promise<Set<Vote>> {
  const given = held.votes.filter(counts)
  if (given.length === 0) return new Set()
  const header = await lastOf(ctx, execution, 'approval.voted')
  const approvers = header?.approval?.id === held.id ? header.approval.approvers : []
  const voters = new Map(approvers.map(({ id, on_behalf_of }) => [id, on_behalf_of]))
  const proven = given.filter(({ by, on_behalf_of }) => on_behalf_of === voters.get(by.id) && voters.delete(by.id))
  if (proven.length < given.length) suspect('vote_without_evidence', held)
  return new Set(proven)
}

/** The artifact of the request, from the chain. */
export const requestProven = (ctx: Context, execution: Execution): Promise<Header | undefined> =>
  lastOf(ctx, execution, 'action.requested')

/** The decision on the request, from the chain. */
export const decisionProven = async (ctx: Context, execution: Execution): Promise<Header['decision']> =>
  (await requestProven(ctx, execution))?.decision

/** Whether the chain says that the target has made something. */
export const creationProven = async (ctx: Context, execution: Execution): Promise<boolean> =>
  (await lastOf(ctx, execution, 'protocol.executed'))?.data?.created === true

async function lastOf(ctx: Context, execution: Execution, type: ArtifactType): Promise<Header | undefined> {
  const reference = execution.artifacts.findLast((artifact) => artifact.type === type)
  const header = reference && (await readSequenced(ctx, reference.artifact_id))
  const isIts = header?.type === type && header.request_id === execution.id && header.chain === chainName(ctx.space)
  return isIts ? header : undefined
}

type Approved = { node_id: string; action_id: string; payload: JsonObject; approval_id: string }

/**
 * What people approved, as the chain proves it: the payload of a held execution of the service's own nodes that ran. Undefined without
 * such an execution, and after its payload was erased.
 */
export async function approvedPayload(ctx: Context, id: string): Promise<Approved | undefined> {
  const { table, space } = ctx
  const execution = await table.get(executions, { ...space, id })
  const held = execution?.held && (await table.get(approvals, { ...space, id: execution.held.id }))
  if (!held || execution.status !== 'executed') return undefined
  const open = await openSealed(ctx, execution)
  const { payload } = open.opened
  const isIts = payload !== null && (await mayRun(ctx, open)) && (await isProven(ctx, { held, execution }))
  if (!isIts) return undefined
  return { node_id: execution.node_id, action_id: execution.action_id, payload, approval_id: held.id }
}
