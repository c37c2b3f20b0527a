/** Edit distance (Levenshtein) of two short texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** The name that a misspelt one probably means; undefined when none is similar enough, so with more than `most` edits. */
export function closest(
  name: string,
  names: readonly string[],
  most = Math.max(2, name.length / 4),
): string | undefined {
  const near = names
    .map((candidate) => ({ candidate, edits: distance(name.slice(0, 64), candidate) }))
    .toSorted((a, b) => a.edits - b.edits)[0]
  return near && near.edits <= most ? near.candidate : undefined
}
