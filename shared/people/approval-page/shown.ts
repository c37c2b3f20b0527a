// The data of an approval's page, and the choices of its form: in whose name a person votes, and for how long they allow the same action.
import type { Json } from '../../base/lib/json.ts'
import type { ChangedSince, RepeatView } from '../../govern/approvals/views/approval.ts'
import type { Approval } from '../../govern/approvals/approval.ts'
import type { Context } from '../../base/context.ts'
import { allowedRepeats } from '../../govern/approvals/grants/allowed-repeats.ts'
import { loadVoteInputs } from '../../govern/approvals/inputs.ts'
import { refusalOf, type Voter } from '../../govern/approvals/votes/rules.ts'
import { eligibleVotersFor } from '../../govern/approvals/votes/vote-as.ts'
import { voterOn } from '../../govern/approvals/votes/voters.ts'
import type { GrantRule } from '../../govern/governance/rule-terms.ts'

/** Votes and decision as far as the evidence proves them. */
export type ShownApproval = Omit<Approval, 'sla'>

export type Shown = {
  approval: ShownApproval
  description: string | undefined
  /** How the action differs from the one that was approved last. */
  changed: ChangedSince | undefined
  /** Equal requests of the same person within the last 24 hours. */
  repeats: readonly RepeatView[]
  payload: Json
  /** The result of the action, as soon as there is one. */
  outcome?: { status: string; message: string; output?: Json | undefined } | undefined
  /** Requesters who invited the person or gave them the right to decide, and whether the person's approval counts all the same. */
  raised?: { by: string[]; counts: boolean } | undefined
  /** Why it never runs, even if it is approved. */
  moot: string | undefined
  person: string
  /** E-mail addresses, or names, of the people who are named, by id. */
  names: ReadonlyMap<string, string>
  /** Undefined for somebody who may not decide. */
  choices: Choices | undefined
  now: number
}

export const nameIn = ({ names }: Shown, { id }: { id: string }): string => names.get(id) ?? id

type Choices = {
  /** Whether they may vote for themselves. */
  own: boolean
  /** Ids of the people in whose name they may vote. */
  others: string[]
  /** The grant that they may give; undefined where each action needs an approval. */
  repeats: GrantRule | undefined
}

export async function choicesOf(ctx: Context, id: string): Promise<Choices> {
  const inputs = await loadVoteInputs(ctx.table, ctx.space, { params: { id } })
  const { held, governance } = inputs
  const may = (voter: Voter) =>
    (['approve', 'reject'] as const).some(
      (decision) => refusalOf(held, voter, governance.settings, decision) === undefined,
    )
  const [own, given] = await Promise.all([voterOn(ctx, held), eligibleVotersFor(ctx, held)])
  const others = given.map(({ voter }) => voter).filter(may)
  return {
    own: may(own),
    others: [...new Set(others.flatMap(({ on_behalf_of }) => on_behalf_of ?? []))],
    repeats: allowedRepeats(inputs),
  }
}

const OFFERED_S = [600, 3_600, 28_800]

/** The times (s) among which a person chooses; the longest is that of the policies. */
export const timesOf = ({ max_s }: GrantRule): number[] => [...OFFERED_S.filter((time) => time < max_s), max_s]

const UNITS = [
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** As in `2 hours`. */
export function inWords(seconds: number): string {
  const [size, unit] = UNITS.find(([each]) => seconds % each === 0) ?? [1, 'second']
  const count = seconds / size
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
