// Ties the subject of an OpenID provider to the account that it first signed in to. A provider may give an address to another
// person later, but never a subject. So another subject with the same address is refused until an administrator unlinks.
import * as z from 'zod'
import { hashOf } from '../access/one-time.ts'
import type { Context } from '../../base/context.ts'
import { bound } from '../../base/table/bound.ts'
import { spaceKey, type Stored, type Write } from '../../base/table/entity.ts'
import { notAdmitted } from './refusal.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { notFound } from '../../base/lib/failure.ts'
import { findAnyUser, userUpdated } from '../accounts/find.ts'
import { mailsAbout, mustOutrank } from '../access/outrank.ts'

const live = (tenant_id: string) => ({ tenant_id, mode: 'live' })

/** Leads from the subject to its account. */
const subjectTies = bound({
  name: 'SSOLINK',
  schema: z.object({ tenant_id: z.string(), subject_hash: z.string(), user_id: z.string() }),
  key: (of: { tenant_id: string; subject_hash: string }) => ({
    pk: spaceKey(live(of.tenant_id), 'SSOLINK', of.subject_hash),
    sk: 'LINK',
  }),
})

const AccountTie = z.object({
  tenant_id: z.string(),
  user_id: z.string(),
  issuer_hash: z.string(),
  subject_hash: z.string(),
})

/** Leads from an account to its only subject. */
const accountTies = bound({
  name: 'SSOTIE',
  schema: AccountTie,
  key: (of: { tenant_id: string; user_id: string }) => ({
    pk: spaceKey(live(of.tenant_id), 'USER', of.user_id),
    sk: 'SSOLINK',
  }),
})
export type AccountTie = Stored<z.output<typeof AccountTie>>

export type Subject = { issuer: string; sub: string }

const hashOfSubject = ({ issuer, sub }: Subject) => hashOf(JSON.stringify([issuer, sub]))

/** The account to which a subject is tied, if there is one. */
export async function tiedUserId({ table, space }: Context, subject: Subject): Promise<string | undefined> {
  const tie = await table.get(subjectTies, { tenant_id: space.tenant_id, subject_hash: hashOfSubject(subject) })
  return tie?.user_id
}

const anotherSubject = () =>
  notAdmitted('This account belongs to another person at the identity provider. An administrator can remove the tie.')

/**
 * The writes that tie an account for the first time, or again after a change of the issuer. `former`: a deleted account that
 * the subject is still tied to. Throws 403 when another subject of the issuer is tied to the account.
 */
export async function tieWrites(
  { table, space }: Context,
  user_id: string,
  subject: Subject,
  former?: string,
): Promise<Write[]> {
  const { tenant_id } = space
  const tie = { tenant_id, user_id, subject_hash: hashOfSubject(subject) }
  const next = { ...tie, issuer_hash: hashOf(subject.issuer) }
  const [was, tied] = await Promise.all([
    table.get(accountTies, { tenant_id, user_id }),
    former === undefined ? undefined : table.get(subjectTies, next),
  ])
  if (was?.issuer_hash === next.issuer_hash || (tied && tied.user_id !== former)) throw anotherSubject()
  return [
    ...(former === undefined ? [] : [accountTies.remove({ tenant_id, user_id: former })]),
    tied ? subjectTies.replace(tie, tied, anotherSubject()) : subjectTies.insert(tie, anotherSubject()),
    was ? accountTies.replace(next, was, anotherSubject()) : accountTies.insert(next, anotherSubject()),
    ...(was ? [subjectTies.remove(was)] : []),
  ]
}

const tieOf = ({ table, space }: Context, user_id: string): Promise<AccountTie | undefined> =>
  table.get(accountTies, { tenant_id: space.tenant_id, user_id })

const untieWrites = (tie: AccountTie): Write[] => [accountTies.remove(tie), subjectTies.remove(tie)]

/**
 * Removes the tie. The next subject of the identity provider that signs in with the account's address is tied to it, so this takes a
 * caller who outranks the account, in person (403). Throws 404 for an account without a tie.
 */
export async function unlinkSso(ctx: Context, id: string): Promise<void> {
  const user = await findAnyUser(ctx, id)
  await mustOutrank(ctx, user)
  const tie = await tieOf(ctx, id)
  if (!tie) throw notFound('user')
  const fields = ['sso_link']
  await ctx.table.commit([
    ...untieWrites(tie),
    ...changed(
      ctx,
      [
        {
          action: 'user.updated',
          artifact: 'identity.user.updated',
          subject: { type: 'user', id, name: user.name },
          data: { changed_fields: fields },
          changes: [{ path: 'sso_link', before: '***' }],
          events: [userUpdated(user, user._v, fields, 'api')],
        },
      ],
      { mails: await mailsAbout(ctx, user, 'the tie of a person to the identity provider') },
    ),
  ])
}
