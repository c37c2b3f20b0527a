// Changes a group by PUT or PATCH. Only the members that the request names are read.
import type { Context } from '../../../base/context.ts'
import { retryWhenChanged } from '../../../base/kernel/retry.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { settleGroup } from './align-roles.ts'
import { findGroup, membersAmong, membersOf, type ScimGroup } from './stored-group.ts'
import { fieldsOf, groupAttributes, groupVersion } from './view.ts'
import {
  deltaOf,
  isOfMembers,
  type MemberDelta,
  type MemberEdit,
  memberEdits,
  namedIds,
  needAllMembers,
  readMembers,
} from './member-edits.ts'
import { GROUP, mustMatch, type Resource } from '../resource-type.ts'
import { normalise } from '../patch/normalise.ts'
import { readOperations } from '../patch/operations.ts'
import { applyPatch } from '../patch/patch.ts'
import { storeGroup } from './store-group.ts'

export type Outcome = { group: Stored<ScimGroup>; unchanged: boolean }

type GroupEdit = { attributes: (was: Resource) => Resource; edits: readonly MemberEdit[] }

/** Clears all attributes that the body leaves out, and the members. */
export function replaceGroup(ctx: Context, id: string, body: Resource, ifMatch?: string): Promise<Outcome> {
  const { members, ...attributes } = normalise(GROUP, body)
  const edits: MemberEdit[] = [{ kind: 'clear' }, { kind: 'add', members: readMembers(members ?? []) }]
  return change(ctx, id, { attributes: () => attributes, edits }, ifMatch)
}

/** Applies all operations or none, unless more members change than fit in one transaction. */
export function patchGroup(ctx: Context, id: string, body: Resource, ifMatch?: string): Promise<Outcome> {
  const operations = readOperations(GROUP, body)
  const edits = operations.filter(isOfMembers).flatMap(memberEdits)
  const others = operations.filter((operation) => !isOfMembers(operation))
  return change(ctx, id, { attributes: (was) => applyPatch(GROUP, was, others), edits }, ifMatch)
}

async function change(
  ctx: Context,
  id: string,
  { attributes, edits }: GroupEdit,
  ifMatch: string | undefined,
): Promise<Outcome> {
  return retryWhenChanged(async () => {
    const was = await findGroup(ctx, id)
    mustMatch(ifMatch, groupVersion(was))
    const fields = fieldsOf(attributes(groupAttributes(was)), was)
    const delta = await memberDelta(ctx, id, edits)
    const isSame = fields.displayName === was.displayName && fields.externalId === was.externalId
    if (isSame && delta.added.length + delta.removed.length === 0) return { group: was, unchanged: true }
    const group = await storeGroup(ctx, { id, was, fields, delta })
    if (group.displayName !== was.displayName) await settleGroup(ctx, id) // another name may give other roles
    return { group, unchanged: false }
  })
}

async function memberDelta(ctx: Context, id: string, edits: readonly MemberEdit[]): Promise<MemberDelta> {
  if (edits.length === 0) return { added: [], removed: [] }
  const present = needAllMembers(edits) ? await membersOf(ctx, id) : await membersAmong(ctx, id, namedIds(edits))
  return deltaOf(present, edits)
}
