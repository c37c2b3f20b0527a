// Deletes a group.
import { changed } from '../../../ledger/audit/changed.ts'
import type { Context } from '../../../base/context.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../../base/kernel/retry.ts'
import { headCountWrite } from '../../accounts/head-count.ts'
import { findGroup, membersOf, scimGroups } from './stored-group.ts'
import { groupAttributes, groupVersion } from './view.ts'
import { keyWrites } from '../filter/keys.ts'
import { GROUP, mustMatch } from '../resource-type.ts'
import { storeGroup } from './store-group.ts'

/**
 * Removes the members and their roles first and the group last, so that a repeated request finishes an interrupted deletion. Throws 404
 * for a missing group, 412 when `ifMatch` names another version.
 */
export async function deleteGroup(ctx: Context, id: string, ifMatch?: string): Promise<void> {
  const group = await findGroup(ctx, id)
  mustMatch(ifMatch, groupVersion(group))
  await retryWhenChanged(async () => {
    const was = await findGroup(ctx, id)
    const removed = (await membersOf(ctx, id)).map(({ value }) => value)
    const { displayName, externalId } = was
    const fields = { displayName, ...(externalId !== undefined && { externalId }) }
    const emptied = removed.length > 0 ? await storeGroup(ctx, { id, was, fields, delta: { added: [], removed } }) : was
    const isSame = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': emptied._v } }
    await ctx.table.commit([
      scimGroups.remove({ ...ctx.space, id }, isSame, new ChangedMeanwhile()),
      headCountWrite(ctx.space, 'groups', id, -1),
      ...keyWrites(ctx.space, GROUP, id, groupAttributes(emptied), {}),
      ...changed(ctx, [
        {
          action: 'group.deleted',
          artifact: 'identity.group.deleted',
          subject: { type: 'group', id, name: displayName },
        },
      ]),
    ])
  })
}
