// Reads a payload by JSON pointer (RFC 6901). One step may be `*`, which means each element of a list. Inherited
// properties are ignored.
import type { Json } from '../../../base/lib/json.ts'

/** The steps of a pointer; undefined when it is malformed or has more than one `*`. */
export function stepsOf(pointer: string): string[] | undefined {
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  const steps = pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return steps.filter((step) => step === '*').length > 1 ? undefined : steps
}

/** The steps of a pointer that names members of objects only, no elements of lists; undefined for any other. */
export function namedSteps(pointer: string): string[] | undefined {
  const steps = stepsOf(pointer)
  return steps?.every((step) => !/^(?:\*|-|\d*)$/.test(step)) ? steps : undefined
}

/** The value at the steps; undefined for a missing value and for `null`. */
export function valueAt(root: Json | undefined, steps: readonly string[]): Json | undefined {
  let at: Json | undefined = root
  for (const step of steps) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = Array.isArray(at) ? at[Number(step)] : at[step]
  }
  return at ?? undefined
}

/** One value for each element at a pointer with `*`, undefined where an element has none. Undefined when there is no list. */
export function valuesAt(root: Json | undefined, steps: readonly string[]): (Json | undefined)[] | undefined {
  const star = steps.indexOf('*')
  const list = valueAt(root, steps.slice(0, star))
  return Array.isArray(list) ? list.map((element) => valueAt(element, steps.slice(star + 1))) : undefined
}
