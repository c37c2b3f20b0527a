// A change of a policy, calendar, word or setting before it is committed: its writes, the members that loosen, and the request from which
// the same change is made after a person has approved it.
import type { Context } from '../../base/context.ts'
import { given } from '../../base/lib/json.ts'
import type { Write } from '../../base/table/entity.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { mailToOwners } from '../../identity/access/outrank.ts'
import type { AuditChange } from '../../ledger/audit/entry.ts'
import type { Mail } from '../../ledger/events/mail.ts'

/** Further input of a change's writes: the mails that it causes, and the execution under which it was approved. */
export type Under = { mails: Mail[]; execution_id?: string }

export type GovernanceChange<T> = {
  /** The change as the mail to the owners names it. Our own words, never the caller's. */
  what: string
  /** The members that loosen; none where it is at least as strict as what is in force. */
  loosens: readonly string[]
  /** The request as an approver reads it, from which the same change is made after its approval. */
  asked: Asked
  writes: (under: Under) => Write[]
  /** The resource from which a repeated request gets its answer. */
  ref: string
  result: T
}

/** `replaces`: the revision of the pointer to what is in force, where the writes replace it. */
export type PointerChange<T> = GovernanceChange<T> & { replaces: number | undefined }

/** For the data of the artifact. */
export const approvedUnder = ({ execution_id }: Under): Pick<Under, 'execution_id'> => given({ execution_id })

/** `version`, `based_on`: what the change was asked for. It is made for no other. */
export type Asked = {
  change: 'policy' | 'policy_disabled' | 'calendar' | 'lexicon' | 'settings'
  name?: string
  version?: number
  based_on?: string
  changes?: readonly AuditChange[]
  asked: JsonObject
}

export const looseningMail = (ctx: Context, { what, loosens }: GovernanceChange<unknown>): Mail =>
  mailToOwners(ctx, `${what}, so that less is held (${loosens.join(', ')})`)

/** The payload of the action that asks for the change, without absent members. */
export const payloadOf = ({ asked, loosens }: GovernanceChange<unknown>): JsonObject =>
  JSON.parse(JSON.stringify({ ...asked, loosens }))
