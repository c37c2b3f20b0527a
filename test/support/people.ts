// People who join a tenant as they do in real life: invited, with a password of their own.
import { auth } from '../../functions/auth/routes.ts'
import { users } from '../../functions/users/routes.ts'
import { type LocalStack, PASSWORD } from './local-stack.ts'
import { tokenFor } from './mailbox.ts'
import { signIn, type SignedIn } from './sign-in.ts'

export type Person = SignedIn & { email: string }

let invited = 0
/** An address that nobody has yet. */
export const freshAddress = (): string => `person-${(invited += 1)}@example.com`

/** Somebody with these roles, invited by a person who may give them. */
export async function personWith(local: LocalStack, owner: SignedIn, roles: readonly string[]): Promise<Person> {
  const email = freshAddress()
  const { status, body } = await owner.call(users.invite, { body: { email, roles } })
  if (status !== 201) throw new Error(JSON.stringify(body))
  const token = await tokenFor(local, email, 'invitation')
  const set = await local.call(auth.resetPassword, { body: { token, password: PASSWORD } })
  if (set.status !== 200) throw new Error(JSON.stringify(set.body))
  return { ...(await signIn(local, { email })), email }
}
