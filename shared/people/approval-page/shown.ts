// What a page of an approval shows.
import type { Json } from '../../base/lib/json.ts'
import type { ChangedSince, RepeatView } from '../../govern/approvals/views/approval.ts'
import type { Approval } from '../../govern/approvals/approval.ts'
import type { Choices } from './choices.ts'

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
  /** What ran, once it has. */
  outcome?: { status: string; message: string; output?: Json | undefined } | undefined
  /** Requesters who stand behind the person, and whether the person's approval counts all the same. */
  raised?: { by: string[]; counts: boolean } | undefined
  /** Why it never runs, whoever approves it. */
  moot: string | undefined
  person: string
  /** E-mail addresses, or names, of the people who are named, by id. */
  names: ReadonlyMap<string, string>
  /** Undefined for somebody who may not decide. */
  choices: Choices | undefined
  now: number
}

export const nameIn = ({ names }: Shown, { id }: { id: string }): string => names.get(id) ?? id
