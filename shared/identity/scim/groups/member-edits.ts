// Edits of a group's members. Most edits touch only the rows that they name. Those that concern all members (replace, remove
// without a value, a filter other than by id) need all rows read.
import { ID } from '../../../base/wire/fields.ts'
import { type Attribute, valueOf } from '../filter/attribute.ts'
import type { Filter } from '../filter/filter.ts'
import { short } from './view.ts'
import { comparisonBudget, matches } from '../filter/matches.ts'
import type { AttributeOperation, Operation } from '../patch/operations.ts'
import { badRequest } from '../refusal.ts'
import { coreAttribute, GROUP, isObject, type Resource } from '../resource-type.ts'
import type { ScimMember } from './stored-group.ts'

export type Member = Pick<ScimMember, 'value' | 'type' | 'display'>

export type MemberEdit =
  | { kind: 'add'; members: readonly Member[] }
  | { kind: 'remove'; ids: readonly string[] }
  | { kind: 'clear' }
  | { kind: 'removeWhere'; filter: Filter }

export type MemberDelta = { added: Member[]; removed: string[] }

const MEMBERS: Attribute | undefined = coreAttribute(GROUP, 'members')

export const isOfMembers = (operation: Operation): operation is AttributeOperation =>
  'attribute' in operation && operation.attribute === MEMBERS

/** Throws 400 mutability for a change inside a member, because a member can only be added or removed. */
export function memberEdits({ op, filter, sub, value }: AttributeOperation): MemberEdit[] {
  if (sub || (filter && op !== 'remove'))
    throw badRequest('mutability', 'You cannot change a member. Remove it and add another one.')
  if (filter) {
    const ids = idsIn(filter)
    return [ids ? { kind: 'remove', ids } : { kind: 'removeWhere', filter }]
  }
  if (op === 'remove')
    return [
      value === undefined ? { kind: 'clear' } : { kind: 'remove', ids: readMembers(value).map((one) => one.value) },
    ]
  const members = { kind: 'add', members: readMembers(value) } as const
  return op === 'replace' ? [{ kind: 'clear' }, members] : [members]
}

/** The members in a list of values. Throws 400 invalidValue for one that cannot be an id. */
export function readMembers(values: unknown): Member[] {
  return [values].flat().filter(isObject).map(readMember)
}

function readMember({ value, type, display }: Resource): Member {
  if (typeof value !== 'string' || !ID.test(value))
    throw badRequest('invalidValue', 'The value of a member must be the id of a user or group.')
  const isGroup = value.startsWith('grp_') || (typeof type === 'string' && type.toLowerCase() === 'group')
  return {
    value,
    type: isGroup ? 'Group' : 'User',
    ...(typeof display === 'string' && { display: short('display', display) }),
  }
}

/** `value eq "1" or value eq "2"` → the ids; undefined for any other filter. */
function idsIn(filter: Filter): string[] | undefined {
  if (filter.op === 'or') {
    const ids = filter.filters.map(idsIn)
    return ids.every((some) => some !== undefined) ? ids.flat() : undefined
  }
  const isById = filter.op === 'eq' && MEMBERS !== undefined && filter.place.attribute === valueOf(MEMBERS)
  return isById && typeof filter.value === 'string' ? [filter.value] : undefined
}

export const needAllMembers = (edits: readonly MemberEdit[]): boolean =>
  edits.some(({ kind }) => kind === 'clear' || kind === 'removeWhere')

/** The ids that the edits name. */
export const namedIds = (edits: readonly MemberEdit[]): string[] =>
  edits.flatMap((edit) => {
    if (edit.kind === 'add') return edit.members.map(({ value }) => value)
    return edit.kind === 'remove' ? edit.ids.filter((id) => ID.test(id)) : []
  })

/** The most members that one request may add and remove before it would time out. */
const CHANGES_MAX = 10_000

/** The members that the edits add and remove. `present` holds at least the members that the edits name. Throws 400 tooMany. */
export function deltaOf(present: readonly Member[], edits: readonly MemberEdit[]): MemberDelta {
  const before = new Map(present.map((member) => [member.value, member]))
  const after = new Map(before)
  const compare = comparisonBudget()
  for (const edit of edits) {
    if (edit.kind === 'removeWhere') compare(after.size, edit.filter)
    apply(after, before, edit)
  }
  const added = [...after.values()].filter(({ value }) => !before.has(value))
  const removed = [...before.keys()].filter((value) => !after.has(value))
  if (added.length + removed.length > CHANGES_MAX) {
    throw badRequest('tooMany', `Your request changes too many members. Change at most ${CHANGES_MAX} at once.`)
  }
  return { added, removed }
}

/** An existing member that is added again stays unchanged. */
function apply(after: Map<string, Member>, before: ReadonlyMap<string, Member>, edit: MemberEdit): void {
  switch (edit.kind) {
    case 'add':
      for (const member of edit.members) {
        const { value } = member
        if (!after.has(value)) after.set(value, before.get(value) ?? member)
      }
      break
    case 'remove':
      for (const id of edit.ids) after.delete(id)
      break
    case 'clear':
      after.clear()
      break
    case 'removeWhere':
      for (const [id, member] of after) if (matches(edit.filter, member)) after.delete(id)
      break
  }
}
