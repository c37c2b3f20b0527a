// People who join a tenant as they do in real life: invited, with a password of their own.
import { auth } from '../../functions/auth/routes.ts'
import { users } from '../../functions/users/routes.ts'
import { openTable } from '../../shared/base/context.ts'
import { subs, users as accounts } from '../../shared/identity/accounts/user.ts'
import type { Reply } from './call.ts'
import { showFactor } from './factors.ts'
import { type LocalStack, PASSWORD } from './local-stack.ts'
import { tokenFor } from './mailbox.ts'
import { signIn, type SignedIn } from './sign-in.ts'

export type Person = SignedIn & { email: string }

/** What a person does, again with a factor just shown if it needs one and they have none. */
export async function inPerson(local: LocalStack, person: Pick<SignedIn, 'call'>, act: () => Promise<Reply>) {
  const first = await act()
  if (first.body?.code !== 'enrolment_required') return first
  await showFactor(local, person)
  return act()
}

let invited = 0
/** An address that nobody has yet. */
export const freshAddress = (): string => `person-${(invited += 1)}@example.com`

type Inviter = Pick<SignedIn, 'call'>

/** Somebody with these roles whom a person who may give them has just invited. */
export async function newPersonWith(local: LocalStack, owner: Inviter, roles: readonly string[]): Promise<Person> {
  const { email } = await joined(local, owner, roles)
  return { ...(await signIn(local, { email })), email }
}

/**
 * The same, but long ago: nobody stands behind the account any more. An inviter without a factor shows one for a moment where
 * the roles need it.
 */
export async function personWith(local: LocalStack, owner: Inviter, roles: readonly string[]): Promise<Person> {
  const { email, id } = await joined(local, owner, roles)
  await knownForLong(id)
  return { ...(await signIn(local, { email })), email }
}

async function joined(local: LocalStack, owner: Inviter, roles: readonly string[]) {
  const email = freshAddress()
  const invite = () => owner.call(users.invite, { body: { email, roles } })
  const { status, body } = await inPerson(local, owner, invite)
  if (status !== 201) throw new Error(JSON.stringify(body))
  const token = await tokenFor(local, email, 'invitation')
  const set = await local.call(auth.resetPassword, { body: { token, password: PASSWORD } })
  if (set.status !== 200) throw new Error(JSON.stringify(set.body))
  return { email, id: String(body.id) }
}

/** As if an account had not been touched by others for 30 days. */
export async function knownForLong(id: string): Promise<void> {
  const table = openTable()
  const sub = await table.get(subs, { id })
  const was = sub && (await table.get(accounts, sub))
  if (!was) throw new Error(`no account ${id}`)
  await table.commit([accounts.replace({ ...was, raised: undefined }, was)])
}
