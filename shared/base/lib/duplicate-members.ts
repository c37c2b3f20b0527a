/** Matches strings, member names with their colon, and brackets. */
const TOKENS = /"[^"\\]*(?:\\[^][^"\\]*)*"(\s*:)?|[{}[\]]/g

/** Whether any object in this JSON text names a member twice, which parsers interpret differently (RFC 8259, section 4). */
export function hasDuplicateMembers(json: string): boolean {
  const open: Set<string>[] = []
  for (const [token, colon] of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (colon !== undefined && isSecond(open.at(-1), token.slice(0, -colon.length))) return true
  }
  return false
}

function isSecond(names: Set<string> | undefined, quoted: string): boolean {
  const name: unknown = JSON.parse(quoted)
  if (typeof name !== 'string' || !names || names.has(name)) return true
  names.add(name)
  return false
}

/** The same check, faster for text as `JSON.stringify` writes it. `value` is the parsed text. */
export const namesTwice = (json: string, value: unknown): boolean =>
  JSON.stringify(value) !== json && hasDuplicateMembers(json)
