// The tokens of one SQL statement, as every dialect splits them. Where dialects differ (comments, backslashes, dollar quotes,
// prefixes of literals, brackets with quotes in them) there are no tokens: such a text proves nothing.

export type SqlToken = { kind: 'word' | 'quoted' | 'text' | 'number' | 'sign'; value: string }

/** Longer statements are not proven. */
export const LENGTH_MAX = 16_384

const TOKEN =
  /\s+|([\p{L}_][\p{L}\p{N}\p{M}_]*(?![\p{L}\p{N}\p{M}_'"`$]))|(\.?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\p{L}\p{N}_.'"`$])|\$\d+(?![\p{L}\p{N}_$]))|('[^']*(?:''[^']*)*'(?!['\p{L}]))|("[^"]+"(?!["\p{L}])|`[\p{L}\p{N}_ .-]+`|\[[\p{L}\p{N}_ ,.-]*\])|(-(?!-)|\/(?!\*)|:(?!=)|\|\||&(?!["'])|[(),;.=<>!+*%?^~@])/iuy

const AMBIGUOUS = /\\|'''|"""/

/** The kinds in the order of the groups of `TOKEN`. */
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
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.length;) {
    const match = TOKEN.exec(text)
    if (!match) return undefined
    const token = tokenOf(match)
    if (token) tokens.push(token)
  }
  return tokens
}
