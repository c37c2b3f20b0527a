// Deletes a person of a directory with their memberships, and their account in live mode.
import { type Change, changed } from '../../../ledger/audit/changed.ts'
import type { Context } from '../../../base/context.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../../base/kernel/retry.ts'
import type { Write } from '../../../base/table/entity.ts'
import { headCountWrite } from '../../accounts/head-count.ts'
import { mustLeaveOwner } from '../../users/set-roles.ts'
import { deprovision, type LeaveBehind } from '../../users/deprovision.ts'
import { directoryMustOutrank } from '../../access/outrank.ts'
import { findPerson, groupIdsOf } from './find-users.ts'
import { keyWrites } from '../filter/keys.ts'
import { mustMatch, USER } from '../resource-type.ts'
import { scimMembers } from '../groups/stored-group.ts'
import { attributesOf, type Person, scimUsers, versionOf } from './user.ts'
import { testChange } from './test-user.ts'
import { releaseUserName } from './fields.ts'

/** Memberships that one transaction can remove beside the resource and the look-up rows of all its addresses. */
const GROUPS_AT_ONCE = 60

type Deletion = { id: string; ifMatch?: string | undefined; leaveBehind: LeaveBehind }

/**
 * Removes the resource and its rows before the account. In the other order, a repeated request would be a 404 and leave them. Throws
 * 403 for an account with rights that the maker of the directory's key does not hold, 409 for the last active owner, 412 when `ifMatch`
 * names another version.
 */
export async function deleteUser(ctx: Context, { id, ifMatch, leaveBehind }: Deletion): Promise<void> {
  await retryWhenChanged(async () => {
    const person = await findPerson(ctx, id)
    mustMatch(ifMatch, versionOf(person))
    const { account } = person
    if (account) {
      await mustLeaveOwner(ctx, account)
      await directoryMustOutrank(ctx, account)
    }
    await removeResource(ctx, person)
    if (account) await deprovision(ctx, account, { to: 'deleted', source: 'scim', leaveBehind })
  })
}

async function removeResource(ctx: Context, person: Person): Promise<void> {
  const { id, account, item } = person
  const groups = (await groupIdsOf(ctx, [id])).get(id) ?? []
  const memberships = groups.map((group_id) => scimMembers.remove({ ...ctx.space, group_id, value: id }))
  const last = memberships.slice(-GROUPS_AT_ONCE)
  for (let from = 0; from < memberships.length - GROUPS_AT_ONCE; from += GROUPS_AT_ONCE) {
    const end = Math.min(from + GROUPS_AT_ONCE, memberships.length - GROUPS_AT_ONCE)
    await ctx.table.commit([...memberships.slice(from, end), ...changed(ctx, [leftDirectory(id)])])
  }
  const writes: Write[] = [...last, ...resourceRemovals(ctx, person)]
  if (account && writes.length === 0) return
  const resource = attributesOf(person)
  const change = account ? leftDirectory(id) : testChange(id, 'deprovisioned', resource, (item?._v ?? 0) + 1)
  await ctx.table.commit([...writes, ...changed(ctx, [change])])
}

const leftDirectory = (id: string): Change => ({
  action: 'user.left_directory',
  artifact: 'identity.user.updated',
  subject: { type: 'user', id },
  data: { source: 'scim' },
})

function resourceRemovals(ctx: Context, person: Person): Write[] {
  const { id, account, item } = person
  if (!item) return []
  const resource = attributesOf(person)
  return [
    scimUsers.remove({ ...ctx.space, id }, { expression: 'attribute_exists(pk)' }, new ChangedMeanwhile()),
    ...(account ? [] : [headCountWrite(ctx.space, 'users', id, -1)]), // an account is counted until it is deleted
    releaseUserName(ctx, String(resource.userName), id),
    ...keyWrites(ctx.space, USER, id, resource, {}),
  ]
}
