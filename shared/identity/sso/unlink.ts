import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { findAnyUser } from '../accounts/find.ts'
import { mailsAbout, mustOutrank } from '../access/outrank.ts'
import { userUpdated } from '../accounts/user-updated.ts'
import { tieOf, untieWrites } from './subject-tie.ts'

/** Removes the tie. The next subject of the identity provider that signs in with the account's address is tied to it. */
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
