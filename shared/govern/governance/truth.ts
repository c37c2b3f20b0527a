// Kleene's three-valued logic. `undefined` is unknown: a missing fact could make the result true or false.

export type Truth = boolean | undefined

export const not = (truth: Truth): Truth => (truth === undefined ? undefined : !truth)

/** False if any is false, else unknown if any is unknown, else true. True for an empty list. */
export function all<T>(items: readonly T[], test: (item: T) => Truth): Truth {
  let unknown = false
  for (const item of items) {
    const truth = test(item)
    if (truth === false) return false
    if (truth === undefined) unknown = true
  }
  return unknown ? undefined : true
}

/** True if any is true, else unknown if any is unknown, else false. False for an empty list. */
export const any = <T>(items: readonly T[], test: (item: T) => Truth): Truth =>
  not(all(items, (item) => not(test(item))))

export const nameOf = (truth: Truth): 'true' | 'false' | 'unknown' => (truth === undefined ? 'unknown' : `${truth}`)
