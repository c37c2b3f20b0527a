// Creates a group with its members.
import type { Context } from '../../../base/context.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { fieldsOf } from './view.ts'
import { deltaOf, readMembers } from './member-edits.ts'
import { normalise } from '../patch/normalise.ts'
import { GROUP, type Resource } from '../resource-type.ts'
import { storeGroup } from './store-group.ts'
import type { ScimGroup } from './stored-group.ts'

/**
 * Members get the roles of the group in the same transactions. A group with more members than fit in one is stored in several; after a
 * crash it exists with some of them, and the directory can add the rest. Throws 400 for a resource that breaks the schema. Two
 * requests make two groups, since names of groups are not unique.
 */
export async function createGroup(ctx: Context, body: Resource): Promise<Stored<ScimGroup>> {
  const resource = normalise(GROUP, body)
  const delta = deltaOf([], [{ kind: 'add', members: readMembers(resource.members ?? []) }])
  return storeGroup(ctx, { id: ctx.id('grp'), was: undefined, fields: fieldsOf(resource), delta })
}
