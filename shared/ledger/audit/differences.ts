// The changes of a resource as entries of the audit log show them.
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import type { AuditChange } from './entry.ts'

/** A longer value is replaced by its hash, because an entry must fit into one item. */
const VALUE_LENGTH_MAX = 4_000

type Value = AuditChange['before']
type Members<F extends string> = Readonly<Partial<Record<F, Value>>>

/** The members that differ, with both values, for the audit log. Without a former state all of them are new. */
export const differences = <F extends string>(
  was: Members<F> | undefined,
  next: Members<F>,
  fields: readonly F[],
): AuditChange[] =>
  fields
    .map((path): AuditChange => ({ path, before: was?.[path], after: next[path] }))
    .filter(({ before, after }) => canonicalJson(before ?? null) !== canonicalJson(after ?? null))
    .map(({ path, before, after }) => ({ path, before: shortened(before), after: shortened(after) }))

function shortened(value: Value): Value {
  if (value === undefined) return undefined
  const text = canonicalJson(value)
  return text.length <= VALUE_LENGTH_MAX ? value : { sha256: sha256Hex(text), length: text.length }
}
