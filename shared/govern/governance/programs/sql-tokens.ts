// Splits one SQL statement into tokens, in a way that all dialects share. Where dialects differ (comments, backslashes, dollar
// quotes, prefixes of literals, brackets with quotes in them) it fails, so the statement is not proven to read.

export type SqlToken = { kind: 'word' | 'quoted' | 'text' | 'number' | 'sign'; value: string }

/** Longer statements are not proven. */
export const LENGTH_MAX = 16_384

const AMBIGUOUS = /\\|'''|"""/

/** Matches white space or one token, with a group for each of the `KINDS`. */
const tokenPattern = () =>
  /\s+|([\p{L}_][\p{L}\p{N}\p{M}_]*(?![\p{L}\p{N}\p{M}_'"`$]))|(\.?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\p{L}\p{N}_.'"`$])|\$\d+(?![\p{L}\p{N}_$]))|('[^']*(?:''[^']*)*'(?!['\p{L}]))|("[^"]+"(?!["\p{L}])|`[\p{L}\p{N}_ .-]+`|\[[\p{L}\p{N}_ ,.-]*\])|(-(?!-)|\/(?!\*)|:(?!=)|\|\||&(?!["'])|[(),;.=<>!+*%?^~@])/iuy

/** In the order of the groups. */
const KINDS = ['word', 'number', 'text', 'quoted', 'sign'] as const

function tokenOf(match: RegExpExecArray): SqlToken | undefined {
  for (const [i, kind] of KINDS.entries()) {
    const value = match[i + 1]
    if (value !== undefined) return { kind, value: value.toLowerCase() }
  }
  return undefined
}

/** The tokens, in linear time; undefined where dialects could differ, or for a text of more than 16 Ki characters. */
export function sqlTokensOf(text: string): SqlToken[] | undefined {
  if (text.length > LENGTH_MAX || AMBIGUOUS.test(text)) return undefined
  const tokens: SqlToken[] = []
  const pattern = tokenPattern()
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text)
    if (!match) return undefined
    const token = tokenOf(match)
    if (token) tokens.push(token)
  }
  return tokens
}
