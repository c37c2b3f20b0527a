// The tokens of one SQL statement, as every dialect splits them. Where dialects differ (comments, backslashes, dollar quotes,
// prefixes of literals, brackets with quotes in them) there are no tokens: such a text proves nothing.

export type SqlToken = { kind: 'word' | 'quoted' | 'text' | 'number' | 'sign'; value: string }

/** Longer statements are not proven. */
export const LENGTH_MAX = 16_384

const AMBIGUOUS = /\\|'''|"""/

/** White space, or one token: a group for each kind, in their order. */
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

/** Linear in the text; undefined where dialects could read it in different ways, or where it is longer than 16 Ki characters. */
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
