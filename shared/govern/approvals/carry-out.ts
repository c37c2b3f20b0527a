// What a decided approval sets in motion. It serves once: `consumed_at` is written with the step that uses it. Whatever runs
// was judged again a moment before, and the commit that lets it run fails when what it was judged by has changed since.
import type { Context } from '../../base/context.ts'
import { artifactKey, artifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { approvedEvent } from '../executions/events.ts'
import type { Execution } from '../executions/execution.ts'
import { openSealed, readEventFacts } from '../executions/open-execution.ts'
import { ranEvents } from '../executions/outcome-events.ts'
import { leaseFrom, perform, type Performance, readyTarget } from '../executions/run-target.ts'
import { settleUndo } from '../executions/settle-undo.ts'
import { transition } from '../executions/store.ts'
import { iso } from '../../base/lib/clock.ts'
import { againIfOvertaken, Overtaken } from '../../base/table/again.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import type { Approval } from './approval.ts'
import { approvalForTarget, deciderOf } from './approval-for-target.ts'
import { type Binding, breachOf, basisChecks } from './binding.ts'
import { approvalFacts } from './hold.ts'
import { loadVoteInputs } from './inputs.ts'
import { refuseTo } from './supersede.ts'
import { lapsedData, replaceApproval } from './store-vote.ts'

/** An approved action that nobody has claimed for so long is claimed by the sweeper. */
const CLAIM_WITHIN_MS = 15_000

/** `approval` is what the deciding vote makes of `held`; `voters` holds its commit to everybody who decided it. */
type Decided = Binding & { approval: Approval; voters: Write[] }

export const carryOut = (ctx: Context, decided: Decided) =>
  decided.action?.target || decided.execution.sandbox ? approveThenCall(ctx, decided) : approveAndRun(ctx, decided)

const approvedStep = (approval: Approval) => ({
  facts: { type: 'approval.approved' as const, approval: approvalFacts(approval, 'approve'), ...lapsedData(approval) },
  events: (stored: Execution) => [approvedEvent(readEventFacts(stored), deciderOf(approval), 'manual')],
})

/** Brokered: decision and effect are one transaction. */
async function approveAndRun(ctx: Context, { approval, voters, ...binding }: Decided) {
  const { held, execution: was, opened } = binding
  const now = ctx.now()
  const consumed: Approval = { ...approval, consumed_at: iso(now) }
  const next: Execution = { ...was, status: 'executed', executed_at: iso(now) }
  const { execution, writes } = transition(ctx, was, next, [
    approvedStep(consumed),
    {
      facts: {
        type: 'protocol.executed',
        outcome: 'succeeded',
        approval: approvalFacts(consumed),
        payload_commitment: was.payload_commitment,
      },
      events: (stored) => ranEvents(readEventFacts(stored), now - ctx.request.at),
    },
  ])
  const holding = [...voters, ...basisChecks(ctx, binding)]
  await ctx.table.commit([...writes, ...replaceApproval(ctx, consumed, held), ...holding], approval.id)
  await settleUndo(ctx, execution)
  return { approval: consumed, execution, opened }
}

/** With a target: the decision stands first, so that a process that dies before the call loses nothing. */
async function approveThenCall(ctx: Context, { approval, voters, ...binding }: Decided) {
  const { held, execution: was } = binding
  const claimBy = iso(ctx.now() + CLAIM_WITHIN_MS)
  const next: Execution = { ...was, status: 'approved', lease_until: claimBy }
  const { execution, writes } = transition(ctx, was, next, [approvedStep(approval)])
  await ctx.table.commit([...writes, ...replaceApproval(ctx, approval, held), ...voters], approval.id)
  return callFor(ctx, await claimFresh(ctx, { ...binding, held: { ...approval, _v: held._v + 1 }, execution }))
}

type Claimed = { approval: Approval; execution: Stored<Execution>; performance: Performance }

/** `known` was judged in this request; when that is overtaken, everything is read and judged anew. */
function claimFresh(ctx: Context, known: Binding): Promise<Claimed> {
  let next: Binding | undefined = known
  return againIfOvertaken(async () => {
    const binding = next ?? (await readBinding(ctx, known.held.id))
    const breach = next ? undefined : await breachOf(ctx, binding)
    next = undefined
    return breach ? refuseTo(ctx, binding, breach) : claim(ctx, binding)
  })
}

export async function readBinding(ctx: Context, id: string): Promise<Binding> {
  const inputs = await loadVoteInputs(ctx.table, ctx.space, { params: { id } })
  return { ...inputs, ...(await openSealed(ctx, inputs.execution)) }
}

/** Takes the one use of an approval without a breach. Whoever commits the claim makes the call. */
export async function claim(ctx: Context, binding: Binding): Promise<Claimed> {
  const { held, execution: was, opened, action } = binding
  const { payload } = opened
  if (!action || !payload) throw new Error('nothing is left to call')
  const target = await readyTarget(ctx, action)
  const now = ctx.now()
  const approval: Approval = { ...held, consumed_at: iso(now) }
  const next: Execution = { ...was, status: 'executing', lease_until: leaseFrom(now), attempt: 1 }
  const { execution, writes } = transition(ctx, was, next, [
    { facts: { type: 'execution.started', approval: approvalFacts(approval) }, events: () => [] },
  ])
  const holding = [...basisChecks(ctx, binding), evidenceOf(ctx, was)]
  await ctx.table.commit([...writes, ...replaceApproval(ctx, approval, held), ...holding])
  return { approval, execution, performance: { action, target, payload, approval: approvalForTarget(approval) } }
}

export async function callFor(ctx: Context, { approval, execution, performance }: Claimed) {
  const done = await perform(ctx, execution, performance)
  return { approval, ...done }
}

/** The artifact of the approval is still what the execution names. */
function evidenceOf({ space }: Context, { artifacts: references }: Execution): Write {
  const reference = references.findLast(({ type }) => type === 'approval.approved')
  if (!reference) throw new Error('an approval without its artifact')
  const hash = Buffer.from(reference.hash.replace('sha256:', ''), 'hex')
  const condition = { expression: '#ah = :ah', names: { '#ah': 'ah' }, values: { ':ah': hash } }
  return artifacts.check(artifactKey(space, reference.artifact_id), condition, new Overtaken())
}
