// Stores a group and the changes of its members in one or more transactions. Each transaction is complete: rows, roles,
// version and evidence. A repeated request finishes an interrupted one. If the group now gives other roles, the first
// transaction also notes it as unsettled; the note is removed when all members have their new roles, and the sweeper finishes the work
// of a request that died.
import { type Change, changed } from '../../../ledger/audit/changed.ts'
import type { Context, Space } from '../../../base/context.ts'
import type { ArtifactType } from '../../../base/catalog/artifact-types.ts'
import { iso } from '../../../base/lib/clock.ts'
import { ChangedMeanwhile, unlessChangedMeanwhile } from '../../../base/kernel/retry.ts'
import { entity, type Stored, type Write } from '../../../base/table/entity.ts'
import { raisedBy } from '../../access/raised.ts'
import { headCountWrite } from '../../accounts/head-count.ts'
import { type GivingGroup, givingGroups, roleChanges, roleMapping, rolesGiven } from './group-roles.ts'
import { groupAttributes } from './view.ts'
import { keyWrites } from '../filter/keys.ts'
import type { MemberDelta } from './member-edits.ts'
import { GROUP } from '../resource-type.ts'
import { groupPartition, type ScimGroup, scimGroups, scimMembers } from './stored-group.ts'
import * as z from 'zod'
import { dueAt } from '../../../base/table/due.ts'
import { spaceMembers } from '../../../base/table/members.ts'

/** Members that change in one transaction. Each takes up to two of its 100 items. */
const AT_ONCE = 40

type Fields = Pick<ScimGroup, 'displayName' | 'externalId'>

/** `was`: undefined for a new group. */
export type GroupChange = { id: string; was: Stored<ScimGroup> | undefined; fields: Fields; delta: MemberDelta }

/**
 * Stores a group, new or changed, with its members and their roles, and returns it as it is then. When another request has changed the
 * group, a member or the mapping meanwhile, it throws `ChangedMeanwhile`, and the caller reads again.
 */
export async function storeGroup(ctx: Context, change: GroupChange): Promise<Stored<ScimGroup>> {
  const { id, fields } = change
  const [{ mapping, guard }, note] = await Promise.all([roleMapping(ctx), change.was && noteOf(ctx, id)])
  let was = change.was
  const given = rolesGiven(mapping, { id, ...fields })
  const gave = was ? rolesGiven(mapping, was) : [] // under its former name, since leaving members lose these roles, too
  const counts = note !== undefined || given.length + gave.length > 0
  const giving = counts ? await withThis(ctx, mapping, { id, roles: given }) : undefined
  const unsettles = was && given.join(' ') !== gave.join(' ')
  let first = unsettles ? [leaveNote(ctx, id, note)] : []
  for (const delta of partsOf(change.delta)) {
    was = await storePart(ctx, { id, was, fields, delta }, { giving, guard, first })
    first = []
  }
  if (!was) throw new Error('a group was stored in no part')
  return was
}

/** All groups that give roles, and this group with its future name. */
async function withThis(ctx: Context, mapping: Parameters<typeof givingGroups>[1], self: GivingGroup) {
  const others = (await givingGroups(ctx, mapping)).filter(({ id }) => id !== self.id)
  return [...others, self]
}

/** Splits a delta into transactions; at least one, since a group may change without its members. */
function partsOf({ added, removed }: MemberDelta): MemberDelta[] {
  const count = Math.max(1, Math.ceil((added.length + removed.length) / AT_ONCE))
  return Array.from({ length: count }, (_, index) => {
    const [from, to] = [index * AT_ONCE, (index + 1) * AT_ONCE]
    return {
      added: added.slice(from, to),
      removed: removed.slice(Math.max(0, from - added.length), Math.max(0, to - added.length)),
    }
  })
}

/** `giving`: undefined when the group gives no roles, so that no account need be read. */
type Roles = { giving: GivingGroup[] | undefined; guard: Write[]; first: Write[] }

async function storePart(ctx: Context, part: GroupChange, { giving, guard, first }: Roles): Promise<Stored<ScimGroup>> {
  const { space } = ctx
  const { id, was, fields, delta } = part
  const at = iso(ctx.now())
  const raised = fields.displayName === was?.displayName ? was.raised : await raisedBy(ctx, { raised: was?.raised })
  const next: ScimGroup = { ...space, id, created_at: was?.created_at ?? at, updated_at: at, ...fields, raised }
  const joining = new Set(delta.added.map(({ value }) => value))
  const ids = [...joining, ...delta.removed]
  const assumed = { group_id: id, isMember: (user_id: string) => joining.has(user_id) }
  const roles = giving ? await roleChanges(ctx, ids, giving, assumed) : []
  const record = recordOf(next, was, delta)
  await ctx.table.commit([
    ...(was
      ? [scimGroups.replace(next, was, new ChangedMeanwhile())]
      : [scimGroups.insert(next), headCountWrite(space, 'groups', id, 1)]),
    ...keyWrites(space, GROUP, id, was ? groupAttributes(was) : {}, groupAttributes(next)),
    ...memberWrites(ctx, id, delta),
    ...roles.map(({ write }) => write),
    ...(ids.length > 0 ? guard : []),
    ...first,
    ...changed(ctx, [{ ...record, events: roles.flatMap(({ event }) => event ?? []) }]),
  ])
  return { ...next, _v: (was?._v ?? 0) + 1 }
}

/** When a row exists or is gone already, another request has changed it, so this one begins again. */
function memberWrites({ space }: Context, group_id: string, { added, removed }: MemberDelta): Write[] {
  const isThere = { expression: 'attribute_exists(pk)' }
  return [
    ...added.map((member) => scimMembers.insert({ ...space, group_id, ...member }, new ChangedMeanwhile())),
    ...removed.map((value) => scimMembers.remove({ ...space, group_id, value }, isThere, new ChangedMeanwhile())),
  ]
}

function recordOf(next: ScimGroup, was: ScimGroup | undefined, { added, removed }: MemberDelta): Change {
  const ids = added.map(({ value }) => value)
  const fields = (['displayName', 'externalId'] as const).filter((name) => next[name] !== was?.[name])
  const artifact: ArtifactType = was ? 'identity.group.updated' : 'identity.group.created'
  return {
    action: was ? 'group.updated' : 'group.created',
    artifact,
    subject: { type: 'group', id: next.id, name: next.displayName },
    data: { changed_fields: fields, members_added: ids, members_removed: removed },
    changes: [
      ...fields.map((path) => ({ path, before: was?.[path] ?? null, after: next[path] ?? null })),
      ...(ids.length + removed.length > 0 ? [{ path: 'members', before: removed, after: ids }] : []),
    ],
  }
}

/** Longer than a request can run, so the sweeper never works on a group at the same time as the request. */
const WAIT_MS = 60_000

/** A note about a group whose members still need new roles, after a change of its name or of the tenant's setting. */
const Unsettled = z.object({
  ...spaceMembers,
  group_id: z.string(),
  due_at: z.string(),
})
export type Unsettled = Stored<z.output<typeof Unsettled>>

export const unsettled = entity({
  name: 'SCIMUNSETTLED',
  unbound: 'bounded',
  schema: Unsettled,
  key: (of: Space & { group_id: string }) => ({ pk: groupPartition(of, of.group_id), sk: 'UNSETTLED' }),
  index: ({ due_at, group_id }) => dueAt(due_at, group_id),
})

/** The note about a group, if there is one. */
export const noteOf = ({ table, space }: Context, group_id: string): Promise<Unsettled | undefined> =>
  table.get(unsettled, { ...space, group_id })

/** `was`: the existing note, if any. */
export function leaveNote(ctx: Context, group_id: string, was: Unsettled | undefined): Write {
  const note = { ...ctx.space, group_id, due_at: iso(ctx.now() + WAIT_MS) }
  return was ? unsettled.replace(note, was, new ChangedMeanwhile()) : unsettled.insert(note, new ChangedMeanwhile())
}

/** Keeps a note that was stored again meanwhile, because a later change left it. */
export async function removeNote({ table }: Context, note: Unsettled): Promise<void> {
  const isSame = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': note._v } }
  await unlessChangedMeanwhile(table.commit([unsettled.remove(note, isSame)]))
}
