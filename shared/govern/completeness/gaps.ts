// Finds the gaps of one page of executions, approvals or artifacts. An item that no longer has its shape proves nothing.
import { type Approval, approvals } from '../approvals/approval.ts'
import { changedSinceRead, contradictionsOf as ofApproval } from '../approvals/evidence.ts'
import { requestsUnder } from '../approvals/grants/list.ts'
import type { Context } from '../../base/context.ts'
import { contradictionsOf as ofExecution, MOVED_BY } from '../executions/evidence.ts'
import { type Execution, executions } from '../executions/execution.ts'
import type { Key } from '../../base/table/entity.ts'
import { artifactIdOf, readable, type StoredArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import {
  readHeader,
  readReferencedArtifacts,
  type ReferencedArtifact,
} from '../../ledger/evidence/artifact/referenced-artifacts.ts'
import { gapsOfDelegationsIn, gapsOfPolicySetsIn, gapsOfStops } from './governance-gaps.ts'
import { gap, type Gaps, NO_GAPS, sumOf } from '../../ledger/evidence/verify/gaps.ts'
import { publicHash } from '../../ledger/evidence/artifact/hashes.ts'
import { neverRecorded } from '../../ledger/evidence/chain/row-evidence.ts'
import { type ViewableArtifact, viewableArtifacts } from '../../ledger/evidence/artifact/view.ts'
import { within } from '../../base/lib/clock.ts'
import type { ArtifactType } from '../../base/catalog/artifact-types.ts'

const shapeless = (read: readonly unknown[]): Gaps => ({
  ...NO_GAPS,
  missing: read.filter((one) => one === undefined).length,
})

const headersOf = (referenced: readonly ReferencedArtifact[]) => referenced.flatMap(({ header }) => header ?? [])

export async function gapsOfExecutions(ctx: Context, keys: readonly Key[]): Promise<Gaps> {
  const read = await ctx.table.read(readable(executions), keys)
  const found = read.filter((one) => one !== undefined)
  const granted = found.flatMap(({ id, grant_id }) => (grant_id === undefined ? [] : [{ id, grant_id }]))
  const [referenced, under] = await Promise.all([
    readReferencedArtifacts(ctx, found),
    requestsUnder(
      ctx,
      granted.map(({ grant_id }) => grant_id),
    ),
  ])
  const gaps = found.map((one) => gapsOfExecution(one, referenced.get(one.id) ?? [], ctx.now()))
  const unused = granted.filter(({ id, grant_id }) => !under.get(grant_id)?.has(id))
  return sumOf([...gaps, ...unused.map(({ id }) => gap(id, { missing: 1 })), shapeless(read)])
}

function gapsOfExecution(execution: Execution, referenced: readonly ReferencedArtifact[], now: number): Gaps {
  const { id } = execution
  const items = referenced.flatMap(({ reference, item }) => (item ? [[reference.artifact_id, item] as const] : []))
  const missing = missingOf(execution, new Map<string, StoredArtifact>(items), now)
  if (missing > 0) return gap(id, { missing })
  const headers = headersOf(referenced)
  const agrees = headers.length === referenced.length && ofExecution(execution, headers).length === 0
  return agrees ? NO_GAPS : gap(id, { contradicted: 1 })
}

export async function gapsOfApprovals(ctx: Context, keys: readonly Key[]): Promise<Gaps> {
  const read = await ctx.table.read(readable(approvals), keys)
  const found = read.filter((one) => one !== undefined)
  const asked = await ctx.table.getAll(
    readable(executions),
    found.map(({ request_id }) => ({ ...ctx.space, id: request_id })),
  )
  const requests = new Map(asked.flatMap((one) => (one ? [[one.id, one] as const] : [])))
  const referenced = await readReferencedArtifacts(ctx, [...requests.values()])
  const gaps = found.map((approval) =>
    gapOfApproval(approval, requests.get(approval.request_id), headersOf(referenced.get(approval.request_id) ?? [])),
  )
  const suspects = found.filter((_, index) => (gaps[index] ?? NO_GAPS) !== NO_GAPS)
  const moved = await changedSinceRead(ctx, suspects)
  return sumOf([...gaps.filter((_, index) => !moved.has(found[index]?.id ?? '')), shapeless(read)])
}

function gapOfApproval(
  approval: Approval,
  execution: Execution | undefined,
  headers: Parameters<typeof ofApproval>[1],
): Gaps {
  const { id, status } = approval
  const missing = status === 'pending' ? 0 : missingOfDecision(status, execution)
  if (missing > 0) return gap(id, { missing })
  return ofApproval(approval, headers).length === 0 ? NO_GAPS : gap(id, { contradicted: 1 })
}

const OF_EXECUTIONS = ['action.', 'execution.', 'protocol.', 'approval.']

/** From the chain to the states: the execution must name each of its artifacts, and each artifact must be sequenced or pending. */
export async function gapsOfArtifacts(ctx: Context, keys: readonly Key[]): Promise<Gaps> {
  const found = (await ctx.table.read(viewableArtifacts, keys)).filter((item) => item !== undefined)
  const [strays, unknown, ...others] = await Promise.all([
    neverRecorded(
      ctx,
      found.filter(({ seq }) => seq === undefined),
    ),
    unknownAmong(
      ctx,
      found.filter(({ facts }) => facts.request_id && OF_EXECUTIONS.some((kind) => facts.type.startsWith(kind))),
    ),
    gapsOfStops(ctx, found),
    gapsOfDelegationsIn(ctx, found),
    gapsOfPolicySetsIn(ctx, found),
  ])
  const unnamed = found.filter((item) => strays.has(item.sk) || unknown.has(item))
  return sumOf([...unnamed.map(({ sk }) => gap(artifactIdOf(sk), { unnamed: 1 })), ...others])
}

/** Artifacts that their execution does not name, or whose approval is gone. */
async function unknownAmong(ctx: Context, items: readonly ViewableArtifact[]): Promise<Set<ViewableArtifact>> {
  const idsOf = (ids: readonly (string | undefined)[]) =>
    [...new Set(ids.filter((id) => id !== undefined))].map((id) => ({ ...ctx.space, id }))
  const approvalOf = ({ header }: StoredArtifact) => readHeader(header)?.approval?.id
  const [requests, decisions] = await Promise.all([
    ctx.table.getAll(readable(executions), idsOf(items.map(({ facts }) => facts.request_id))),
    ctx.table.getAll(readable(approvals), idsOf(items.map(approvalOf))),
  ])
  const known = new Set(
    requests.flatMap((one) => one?.artifacts.map(({ artifact_id, hash }) => artifact_id + hash) ?? []),
  )
  const held = new Set(decisions.map((one) => one?.id))
  return new Set(
    items.filter((item) => {
      const approval = approvalOf(item)
      return !known.has(artifactIdOf(item.sk) + publicHash(item.ah)) || (approval !== undefined && !held.has(approval))
    }),
  )
}

/** How long an artifact may wait for its position in the chain. */
const LATE_MS = 300_000

export type Decided = Exclude<Approval['status'], 'pending'>

/** An artifact of one of these types, on the execution, proves the decision of an approval. */
const DECIDES: Readonly<Record<Decided, readonly ArtifactType[]>> = {
  approved: ['approval.approved'],
  rejected: ['approval.rejected'],
  expired: ['approval.expired'],
  cancelled: ['approval.cancelled', 'approval.rejected'],
}

type Reference = Execution['artifacts'][number]
type Proven = Pick<Execution, 'status' | 'artifacts'>
/** Artifact items by id. */
export type Found = ReadonlyMap<string, Pick<StoredArtifact, 'ah' | 'seq'>>

/** How many artifacts an execution lacks: named ones that are gone, changed or late, and the one of its state. */
export function missingOf({ status, artifacts }: Proven, found: Found, now: number): number {
  const gone = artifacts.filter((reference) => !isInPlace(reference, found, now)).length
  return gone + (names(artifacts, MOVED_BY[status]) ? 0 : 1)
}

/** 1 when the execution of a decided approval names no artifact of the decision. */
export const missingOfDecision = (status: Decided, execution: Pick<Execution, 'artifacts'> | undefined): number =>
  execution && names(execution.artifacts, DECIDES[status]) ? 0 : 1

const names = (artifacts: readonly Reference[], types: readonly string[]): boolean =>
  artifacts.some(({ type }) => types.includes(type))

function isInPlace({ artifact_id, hash, at }: Reference, found: Found, now: number): boolean {
  const item = found.get(artifact_id)
  if (!item || publicHash(item.ah) !== hash) return false
  return item.seq !== undefined || within(LATE_MS, Date.parse(at), now)
}
