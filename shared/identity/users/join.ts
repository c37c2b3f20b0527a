import { readLink } from '../access/link.ts'
import type { Context } from '../../base/context.ts'
import { invalid } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { setPassword } from './set-password.ts'
import { emailHash, type User } from '../accounts/user.ts'

type Joining = { token: string; email: string; password: string; name?: string | undefined }

/** Accepts an invitation: the invited account becomes active, and its address counts as verified. */
export async function join(ctx: Context, { email, ...input }: Joining): Promise<Stored<User>> {
  const { link } = await readLink(ctx.table, input.token, 'invitation')
  if (emailHash(link.email) !== emailHash(email))
    throw invalid(['email'], 'This is not the address that was invited. Enter the address that got the invitation.')
  return setPassword(ctx, input)
}
