// What of a document a caller publishes. It converts nothing, so that functions start without the converter.
import { Failure, invalid } from '../../../base/lib/failure.ts'
import type { Conversion, Converted } from './convert.ts'

/** A manifest holds that many actions. */
export const ACTIONS_MAX = 200
/** Compiling the schemas of one call takes seconds. */
const AT_ONCE_MAX = 400

export type Selection = { groups?: readonly string[] | undefined; operations?: readonly string[] | undefined }

/** Deprecated operations are chosen by name only. Throws 422 for a name that is not there and for too many. */
export function select(conversion: Conversion, { groups, operations }: Selection): Map<string, Converted[]> {
  mustBeThere(conversion, { groups, operations })
  const names = new Set(operations)
  const isAll = groups === undefined && operations === undefined
  const inGroups = new Set(groups)
  const chosen = conversion.operations.filter(
    ({ operation, group, deprecated }) => names.has(operation) || (!deprecated && (isAll || inGroups.has(group))),
  )
  if (chosen.length === 0) throw invalid([], 'no operation of the document can be published')
  if (chosen.length > (isAll ? ACTIONS_MAX : AT_ONCE_MAX)) throw tooMany(`the document has ${chosen.length} operations`)
  const byGroup = new Map(Map.groupBy(chosen, ({ group }) => group))
  for (const [group, actions] of byGroup)
    if (actions.length > ACTIONS_MAX) throw tooMany(`group ${group} has ${actions.length} operations`)
  return byGroup
}

function mustBeThere({ operations: all, skipped }: Conversion, { groups = [], operations = [] }: Selection): void {
  const known = new Set(all.map(({ group }) => group))
  const named = new Set(all.map(({ operation }) => operation))
  const reasons = new Map(skipped.map(({ operation, reason }) => [operation, reason]))
  for (const [i, group] of groups.entries())
    if (!known.has(group)) throw invalid(['groups', i], 'is no group of the document')
  for (const [i, operation] of operations.entries()) {
    if (named.has(operation)) continue
    const reason = reasons.get(operation)
    throw invalid(['operations', i], reason ? `cannot be published: ${reason}` : 'is no operation of the document')
  }
}

export const tooMany = (what: string) =>
  new Failure('invalid', [{ loc: ['body'], msg: `${what}; choose groups or operations`, type: 'value_error' }], {
    code: 'selection_required',
  })
