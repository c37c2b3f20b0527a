// Updates the account of a person with the name, the address and the groups from the provider, at each sign-in.
import { type Change, changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { raisesNow } from '../access/permissions.ts'
import { actingAs, changedMeanwhile, userUpdated } from '../accounts/find.ts'
import { setPoolPassword, unguessable } from '../accounts/pool.ts'
import { emailHash, isProven, type User, users } from '../accounts/user.ts'
import { joined } from '../users/create-account.ts'
import type { Assurance } from './account.ts'
import type { SsoConfiguration } from './settings/configuration.ts'
import { rightsIn, valuesOf, withRoles } from './roles.ts'
import { tieWrites } from './subject-tie.ts'
import type { Mail } from '../../ledger/events/mail.ts'
import { emailChange } from '../users/change-email.ts'

type Update = {
  isTied: boolean
  /** The provider speaks for the domain now. */
  vouches: boolean
  /** The deleted account that the subject is still tied to. */
  former?: string
  sso: Stored<SsoConfiguration>
  person: Assurance
  move: Move | undefined
}

/**
 * Updates the fields that differ. A first sign-in also accepts an invitation and ties the subject. Raises by others end, because the
 * organisation's own provider has identified the person (decision 0175). Throws 403 for another subject than the tied one. Of
 * concurrent sign-ins one commits, and the other gets 409.
 */
export async function updateFromProvider(
  ctx: Context,
  was: Stored<User>,
  { sso, person, isTied, vouches, former, move }: Update,
): Promise<Stored<User>> {
  const by = actingAs(ctx, was)
  if (isOpenToOthers(was)) await setPoolPassword(was.username, unguessable(ctx.random))
  const { next: profile, writes, mails } = await profileOf(by, was, person, move)
  const roles = withRoles(ctx, { sso, was, next: profile }, person.groups)
  const { fields: rights, writes: guards } = roles
  const isRaised = vouches && (await raisesNow(ctx.table, was)).length > 0
  const next = isRaised ? { ...roles.next, raised: undefined, confirmed_at: iso(ctx.now()) } : roles.next
  const ties = person.subject && !isTied ? await tieWrites(by, was.id, person.subject, former) : []
  const fields: string[] = PROFILE.filter((field) => next[field] !== was[field])
  fields.push(...rights, ...(isRaised ? ['raised'] : []))
  if (fields.length === 0 && ties.length === 0) return was
  const change =
    was.status === 'invited' ? joined(next) : updated(next, was, ties.length > 0 ? [...fields, 'sso_link'] : fields)
  const { _v, ...stored } = next
  await by.table.commit([
    users.replace(stored, was, changedMeanwhile()),
    ...writes,
    ...guards,
    ...ties,
    ...changed(by, [change], { mails }),
  ])
  return { ...stored, _v: was._v + 1 }
}

const isOpenToOthers = ({ proof_due }: User): boolean => proof_due === 'password' || proof_due === 'provider'

const PROFILE = ['name', 'email', 'email_verified', 'proof_due', 'status'] as const

/**
 * The provider is responsible for address and name, and its sign-in is the proof that a directory's account waits for. The
 * password and the sessions end, because others may know or have opened them. The address is proven only when the sign-in is complete
 * (`redeem`), because only then can everything end that was made with the account before.
 */
async function profileOf(ctx: Context, was: Stored<User>, { email, name }: Assurance, move?: Move): Promise<Moved> {
  const named = {
    ...was,
    name: name ?? was.name,
    status: 'active' as const,
    invitation: undefined,
    proof_due: undefined,
    ...(isOpenToOthers(was) && { tokens_valid_after: iso(ctx.now()) }),
  }
  const isSame = was.email !== null && emailHash(was.email) === emailHash(email)
  const isAsBefore = named.name === was.name && was.status === 'active' && was.proof_due === undefined
  if (isSame && isAsBefore) return { next: was, writes: [], mails: [] }
  const next = { ...named, updated_at: iso(ctx.now()) }
  return isSame || !move ? { next, writes: [], mails: [] } : move(ctx, { was, next, email })
}

const updated = (user: User, was: Stored<User>, fields: string[]): Change => ({
  action: 'user.updated',
  artifact: 'identity.user.updated',
  subject: { type: 'user', id: user.id, name: user.name },
  data: { changed_fields: fields, ...rightsIn(user, fields) },
  changes: fields.map((path) => valuesOf(path, was, user)),
  events: [userUpdated(user, was._v + 1, fields, 'sso')],
})

type Moved = { next: Stored<User>; writes: readonly Write[]; mails: readonly Mail[] }

/** `next`: the account with all other changes. */
export type Move = (ctx: Context, of: { was: Stored<User>; next: Stored<User>; email: string }) => Promise<Moved>

/** Gives an account the new address of its provider. Both addresses get a mail; neither must be verified. */
export const moveAddress: Move = async (ctx, { was, next, email }) => {
  const by = isProven(was) ? 'provider' : undefined // otherwise the sign-in proves it when it is complete
  const { next: moved, writes, mails } = await emailChange(ctx, was, next, email, by)
  return {
    next: { ...moved, _v: was._v },
    writes,
    mails: mails.filter(({ kind }) => kind === 'email_changed'),
  }
}
