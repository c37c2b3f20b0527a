// Walks a payload without recursion, because the caller chooses how deep it is nested.
import type { Json } from '../../../base/lib/json.ts'
import { charactersOf } from '../words/tokens.ts'
import { type Role, roleOf } from './fields.ts'

export type Member = {
  value: Json | undefined
  name: string
  /** false for the payload itself and for elements of lists. */
  isNamed: boolean
  /** The name of the nearest member that has one. */
  label: string
  /** The kinds of characters in a text; 0 for any other value. */
  characters: number
  role: Role | undefined
  parent: Member | undefined
}

type JsonObject = { [name: string]: Json | undefined }

/** Every member, parents before children, beginning with the payload itself. Top-level members in `prose` have no role. */
export function walk(payload: Json | undefined, prose: readonly string[] = []): Member[] {
  const members: Member[] = []
  const root = { value: payload, name: '', isNamed: false, label: '', role: undefined, parent: undefined }
  const stack: Member[] = [{ ...root, characters: charactersIn(payload) }]
  for (let member = stack.pop(); member; member = stack.pop()) {
    members.push(member)
    const { value } = member
    if (Array.isArray(value)) pushElements(stack, member, value)
    else if (typeof value === 'object' && value !== null) pushNamed(stack, member, value, member.parent ? [] : prose)
  }
  return members
}

const charactersIn = (value: Json | undefined) => (typeof value === 'string' ? charactersOf(value) : 0)

function pushElements(stack: Member[], parent: Member, list: readonly Json[]): void {
  const { label, role } = parent
  for (let i = list.length - 1; i >= 0; i -= 1) {
    const value = list[i]
    stack.push({ value, name: String(i), isNamed: false, label, characters: charactersIn(value), role, parent })
  }
}

/** Members inherit the role of their parent, except the role `target`. */
function pushNamed(stack: Member[], parent: Member, members: JsonObject, prose: readonly string[]): void {
  const inherited = parent.role === 'target' ? undefined : parent.role
  const names = Object.keys(members)
  for (let i = names.length - 1; i >= 0; i -= 1) {
    const name = names[i] ?? ''
    const value = members[name]
    const role = prose.includes(name) ? undefined : (roleOf(name) ?? inherited)
    stack.push({ value, name, isNamed: true, label: name, characters: charactersIn(value), role, parent })
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
