// What each execution of the window is asked by a check, once, when it has run or ended. Pure.
import type { Approval, Stage, Vote } from '../../../govern/approvals/approval.ts'
import type { Execution } from '../../../govern/executions/execution.ts'
import { timeOfId } from '../../../base/lib/ids.ts'

export type ApprovalFacts = Pick<
  Approval,
  'request_id' | 'status' | 'action_digest' | 'stages' | 'votes' | 'persons' | 'decided_at' | 'consumed_at'
>

/** Leave to repeat an approved action for a while. */
export type GrantFacts = {
  approval: ApprovalFacts | undefined
  uses: number
  /** The execution is among its uses. */
  used: boolean
  max_uses: number
  expires_at: string
  revoked_at: string | undefined
}

export type ExecutionFacts = {
  execution: Pick<Execution, 'id' | 'status' | 'executed_at' | 'held' | 'undo_of'>
  tier: string
  /** Why it has this tier. */
  signals: readonly string[]
  /** Of its `held.id`. */
  approval: ApprovalFacts | undefined
  /** Under which it ran without an approval of its own. */
  grant?: GrantFacts | undefined
  /** The execution that it undoes. */
  undone: Pick<Execution, 'id' | 'undo' | 'undo_until'> | undefined
  /** Its requester is, or was, known to the tenant. */
  known: boolean
  /** Its payload took personal data out of the tenant. */
  external: boolean
}

/** Undefined: the check does not ask this execution. */
type Rule = (facts: ExecutionFacts) => boolean | undefined

export const EXECUTION_RULES = {
  /** People who did not ask for it, signed in themselves, fill the quorum of every stage. */
  'GOV-01': (facts) => {
    if (!needsApproval(facts)) return undefined
    if (isExactInverse(facts)) return isInWindow(facts)
    const approval = approvalOf(facts)
    return approval !== undefined && isIndependent(approval)
  },

  /** Its approval is of exactly this action, is older than the run, and was used for no other run. */
  'GOV-02': (facts) => {
    if (!needsApproval(facts)) return undefined
    if (isExactInverse(facts)) return isInWindow(facts)
    return facts.grant ? isUnder(facts.grant, facts.execution) : isUsedOnce(facts)
  },

  'IAM-10': ({ known }) => known,

  'PRV-02': (facts) => (facts.external && hasRun(facts) ? approvalOf(facts)?.status === 'approved' : undefined),
} as const satisfies Record<string, Rule>

type ExecutionCheck = keyof typeof EXECUTION_RULES
export const EXECUTION_CHECKS = Object.keys(EXECUTION_RULES) as ExecutionCheck[] // keys of the constant itself

const RAN: ReadonlySet<string> = new Set(['executing', 'executed', 'failed', 'outcome_unknown', 'undone'])
const hasRun = ({ execution }: ExecutionFacts): boolean => RAN.has(execution.status)
const needsApproval = (facts: ExecutionFacts): boolean => facts.tier === 'HARD' && hasRun(facts)
const approvalOf = ({ grant, approval }: ExecutionFacts) => (grant ? grant.approval : approval)

/** It takes back exactly what another one did: the undo window of that one is its approval. */
const isExactInverse = ({ execution, signals }: ExecutionFacts): boolean =>
  execution.undo_of !== undefined && signals.includes('exact_inverse')

function isInWindow({ execution, undone }: ExecutionFacts): boolean {
  if (undone?.undo_until === undefined || undone.id !== execution.undo_of) return false
  return undone.undo?.request_id === execution.id && timeOfId(execution.id) <= Date.parse(undone.undo_until)
}

function isUsedOnce({ execution, approval }: ExecutionFacts): boolean {
  if (approval?.status !== 'approved' || approval.request_id !== execution.id) return false
  const { decided_at, consumed_at, action_digest } = approval
  if (decided_at === undefined || consumed_at === undefined) return false
  return execution.held?.action_digest === action_digest && decided_at <= (execution.executed_at ?? consumed_at)
}

function isUnder(
  { approval, uses, used, max_uses, expires_at, revoked_at }: GrantFacts,
  { id }: Pick<Execution, 'id'>,
): boolean {
  const until = Math.min(Date.parse(expires_at), Date.parse(revoked_at ?? expires_at))
  return approval?.status === 'approved' && used && uses <= max_uses && timeOfId(id) < until
}

/** The votes of others would have approved it by themselves. */
function isIndependent({ status, stages, votes, persons }: ApprovalFacts): boolean {
  const voters = ofDifferentPeople(votes.filter((vote) => isIndependentVote(vote, persons)))
  return status === 'approved' && stages.length > 0 && stages.every((stage, index) => isFilled(stage, index, voters))
}

/** One vote of each person, also where somebody voted in the name of another. */
function ofDifferentPeople(votes: readonly Vote[]): Vote[] {
  const seen = new Set<string>()
  return votes.filter(({ by, persons }) => {
    const people = [by.id, ...persons]
    const isFirst = !people.some((person) => seen.has(person))
    for (const person of people) seen.add(person)
    return isFirst
  })
}

/** A vote by a key is allowed, but does not show which person gave it. */
const isIndependentVote = ({ by, decision, lapsed, self, persons }: Vote, asked: readonly string[]): boolean =>
  decision === 'approve' &&
  by.type === 'user' &&
  !lapsed &&
  !self &&
  ![by.id, ...persons].some((person) => asked.includes(person))

function isFilled({ mode, min_approvals, groups }: Stage, index: number, voters: readonly Vote[]): boolean {
  const votes = voters.filter(({ stage }) => stage === index)
  if (mode === 'any') return votes.length >= min_approvals
  return groups.every((group) => votes.filter((vote) => vote.groups.includes(group)).length >= min_approvals)
}
