// Walks a payload without recursion, because the caller chooses how deep it is nested.
import type { Json } from '../../base/lib/canonical-json.ts'
import { type Role, roleOf } from './fields.ts'

export type Member = {
  value: Json | undefined
  name: string
  /** false for the payload itself and for elements of lists. */
  isNamed: boolean
  /** The name of the nearest member that has one. */
  label: string
  role?: Role | undefined
  parent?: Member
}

/** The members of an object or list. They inherit the role of their parent, except the role `target`. */
function membersOf(parent: Member, value: object): Member[] {
  const { label, role } = parent
  if (Array.isArray(value)) {
    return value.map((element: Json, i): Member => ({
      value: element,
      name: String(i),
      isNamed: false,
      label,
      role,
      parent,
    }))
  }
  const inherited = role === 'target' ? undefined : role
  return Object.entries(value).map(([name, member]): Member => {
    const ownRole = roleOf(name)
    return { value: member, name, isNamed: true, label: name, role: ownRole ?? inherited, parent }
  })
}

/** Every member, parents before children, beginning with the payload itself. Top-level members in `prose` have no role. */
export function* walk(payload: Json | undefined, prose: readonly string[] = []): Generator<Member> {
  const stack: Member[] = [{ value: payload, name: '', isNamed: false, label: '' }]
  for (let member = stack.pop(); member; member = stack.pop()) {
    yield member
    const { value } = member
    if (typeof value === 'object' && value !== null) {
      for (const child of membersOf(member, value).toReversed()) {
        const isProse = child.parent?.parent === undefined && prose.includes(child.name)
        stack.push(isProse ? { ...child, role: undefined } : child)
      }
    }
  }
}

/** The values at `steps` with all that they hold, each with the role. */
export function* membersAt(payload: Json | undefined, steps: readonly string[], role: Role): Generator<Member> {
  let values: (Json | undefined)[] = [payload]
  for (const step of steps) values = values.flatMap((value) => below(value, step))
  const label = steps.findLast((step) => step !== '*') ?? ''
  for (const value of values) {
    for (const member of walk(value)) yield { ...member, role, label: member.label || label }
  }
}

function below(value: Json | undefined, step: string): (Json | undefined)[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return step === '*' ? value : [value[Number(step)]]
  return Object.hasOwn(value, step) ? [value[step]] : []
}

/** Whether no scalar at `steps` says anything. */
export function isEmptyAt(payload: Json, steps: readonly string[]): boolean {
  for (const { value } of membersAt(payload, steps, 'sql')) {
    if (value !== undefined && typeof value !== 'object' && String(value).trim() !== '') return false
  }
  return true
}
