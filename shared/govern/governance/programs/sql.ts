// Decides whether a text is one SQL statement that is proven to read: SELECT, VALUES, WITH of these, SHOW, DESCRIBE, or EXPLAIN
// that does not execute. A statement without proof counts as writing. Views, operators and overloaded functions that the
// database defines are not examined. A statement is split into tokens only in ways that all dialects share: where they differ (comments,
// backslashes, dollar quotes, prefixes of literals, brackets with quotes in them), it is not proven.
import { wordSet } from '../words/words.ts'

/**
 * Whether a text is proven to be a single statement that reads, in linear time. The proof covers the text and its compatibility
 * form, because a database may use either one, and a full-width quote is a quote in only one of them.
 */
export function readsOnly(text: string): boolean {
  const normal = text.normalize('NFKC')
  return isProven(text) && (normal === text || isProven(normal))
}

function isProven(text: string): boolean {
  const tokens = sqlTokensOf(text)
  if (!tokens?.every((_, at) => mayStand(tokens, at))) return false
  if (is(tokens, 0, 'show')) return tokens.length > 1
  return is(tokens, 0, 'explain', 'describe', 'desc') ? explainReads(tokens, 1) : begins(tokens, 0)
}

type Tokens = readonly SqlToken[]

const is = (tokens: Tokens, at: number, ...values: string[]) => {
  const token = tokens[at]
  return (token?.kind === 'word' || token?.kind === 'sign') && values.includes(token.value)
}

const isName = (token: SqlToken | undefined) => token?.kind === 'word' || token?.kind === 'quoted'

/** Whether a word is the name of a column: it follows a name and a dot. */
const isQualified = (tokens: Tokens, at: number) =>
  is(tokens, at - 1, '.') && isName(tokens[at - 2]) && !is(tokens, at, 'nextval')

function mayOpen(tokens: Tokens, at: number): boolean {
  const before = tokens[at - 1]
  if (!before) return true
  if (before.kind === 'sign') return before.value !== ')'
  if (before.kind !== 'word') return false
  const isHeading = is(tokens, at - 2, 'as', 'with', 'recursive') || (at === 1 && is(tokens, 0, 'explain', 'describe'))
  return isHeading || (isPureFunction(before.value) && !is(tokens, at - 2, '.'))
}

function mayStand(tokens: Tokens, at: number): boolean {
  const next = tokens[at + 1]
  if (is(tokens, at, '(')) return mayOpen(tokens, at)
  if (is(tokens, at, ';')) return next === undefined
  if (tokens[at]?.kind === 'text') return next?.kind !== 'text' && !is(tokens, at - 1, 'from', 'join')
  if (tokens[at]?.kind !== 'word' || isQualified(tokens, at)) return true
  if (is(tokens, at, 'for')) return !LOCKING.has(next?.value ?? '')
  if (is(tokens, at, 'next')) return !is(tokens, at + 1, 'value')
  return (
    !writeWords.has(tokens[at]?.value ?? '') || (is(tokens, at, 'create') && is(tokens, at - 1, 'show') && at === 1)
  )
}

/** The index after the parenthesis that opens at `at`. */
function afterGroup(tokens: Tokens, at: number): number {
  for (let [i, depth] = [at, 0]; i < tokens.length; i += 1) {
    if (is(tokens, i, '(')) depth += 1
    if (is(tokens, i, ')')) depth -= 1
    if (depth === 0) return i + 1
  }
  return tokens.length
}

function afterOpening(tokens: Tokens, at: number): number {
  let first = at
  while (is(tokens, first, '(')) first += 1
  return first
}

const selects = (tokens: Tokens, at: number) => is(tokens, afterOpening(tokens, at), 'select', 'values', 'with')

/** The index after `name (columns) AS MATERIALIZED (select)`; undefined for anything else. */
function afterPart(tokens: Tokens, at: number): number | undefined {
  const as = is(tokens, at + 1, '(') ? afterGroup(tokens, at + 1) : at + 1
  if (!isName(tokens[at]) || !is(tokens, as, 'as')) return undefined
  let group = as + 1
  while (is(tokens, group, 'not', 'materialized')) group += 1
  return is(tokens, group, '(') && selects(tokens, group + 1) ? afterGroup(tokens, group) : undefined
}

function withReads(tokens: Tokens, at: number): boolean {
  let next = afterPart(tokens, is(tokens, at, 'recursive') ? at + 1 : at)
  while (next !== undefined && is(tokens, next, ',')) next = afterPart(tokens, next + 1)
  return next !== undefined && is(tokens, afterOpening(tokens, next), 'select', 'values')
}

function explainReads(tokens: Tokens, at: number): boolean {
  let from = is(tokens, at, '(') && !selects(tokens, at) ? afterGroup(tokens, at) : at
  while (explainOptions.has(tokens[from]?.value ?? '') || is(tokens, from, '=')) from += 1
  if (is(tokens, from - 1, 'plan') && !is(tokens, from - 2, 'query')) return false
  const rest = tokens.slice(from)
  const isTable = rest.length > 0 && rest.every((token) => isName(token) || token.value === '.' || token.value === ';')
  return isTable || begins(tokens, from)
}

function begins(tokens: Tokens, at: number): boolean {
  const first = afterOpening(tokens, at)
  return is(tokens, first, 'with') ? withReads(tokens, first + 1) : is(tokens, first, 'select', 'values')
}

type SqlToken = { kind: 'word' | 'quoted' | 'text' | 'number' | 'sign'; value: string }

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
function sqlTokensOf(text: string): SqlToken[] | undefined {
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

/** Words that begin a writing statement or clause. Some dialects need no semicolon before it. */
const WRITE_WORDS = `insert update delete merge upsert drop truncate alter create grant revoke deny exec execute call
  do copy load lock unlock handler vacuum reindex analyze analyse attach detach set declare begin commit rollback use go
  backup restore dbcc kill shutdown reconfigure bulk waitfor raiserror throw prepare deallocate listen notify unlisten
  discard pragma conversation trigger signature writetext updatetext readtext setuser revert checkpoint into returning
  outfile dumpfile infile uescape nextval setval procedure overwrite unload cluster refresh reset purge flush rename import`

/** Functions that change nothing and depend only on their arguments, the rows and the clock. */
const PURE_FUNCTIONS = `count sum avg min max total coalesce nullif lower upper length len char_length
  character_length octet_length trim ltrim rtrim btrim substring substr left right lpad rpad concat concat_ws replace
  translate reverse position strpos instr locate charindex split_part initcap ascii chr md5 hex quote_literal
  round floor ceil ceiling abs mod power pow sqrt sign exp ln log log10 log2 trunc greatest least
  extract date_trunc date_part date_format date_bin to_char to_date to_timestamp to_number now getdate sysdate date time
  timestamp datetime year month day hour minute second week quarter dayofweek weekday datediff dateadd datepart date_add
  date_sub date_diff timestampdiff timestamp_diff strftime julianday unixepoch age last_day make_date curdate
  current_timestamp current_date current_time
  cast convert try_cast safe_cast try_convert isnull ifnull nvl nvl2 iif if decode
  row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
  percentile_cont percentile_disc median mode string_agg group_concat array_agg listagg json_agg jsonb_agg json_object_agg
  json_object json_build_object jsonb_build_object json_array json_extract json_extract_path json_extract_path_text
  json_value json_query json_array_length jsonb_array_length jsonb_array_elements json_array_elements jsonb_each json_each
  jsonb_extract_path jsonb_extract_path_text to_json to_jsonb row_to_json array_length cardinality unnest array_to_string
  stddev stddev_pop stddev_samp var variance var_pop var_samp corr covar_pop bool_and bool_or every bit_and bit_or
  any_value approx_count_distinct countif count_if grouping regexp_like to_tsvector to_tsquery plainto_tsquery
  websearch_to_tsquery ts_rank similarity version database schema current_database current_schema current_user user typeof
  pg_typeof format_date parse_date safe_divide`

/** Other words before a parenthesis: keywords, and types with a length. */
const BEFORE_PARENTHESIS = `select distinct all any some exists in and or not on where having from join union except
  intersect minus by when then else case using over filter group like ilike between is limit offset top as lateral interval
  row array sets rollup cube values materialized char character varchar nvarchar nchar varchar2 numeric decimal number
  float bit binary varbinary`

/** Words between EXPLAIN or DESCRIBE and the statement. EXPLAIN PLAN is special: one dialect writes its plan to a table. */
const EXPLAIN_OPTIONS = 'verbose extended formatted table query format json text tree traditional plan'

const writeWords = wordSet(WRITE_WORDS)

const pureFunctions = wordSet(PURE_FUNCTIONS)

const beforeParenthesis = wordSet(BEFORE_PARENTHESIS)

const explainOptions = wordSet(EXPLAIN_OPTIONS)

const LOCKING = wordSet('update share no key')

export const isWriteWord = (word: string): boolean => writeWords.has(word)

export const isPureFunction = (name: string): boolean => pureFunctions.has(name) || beforeParenthesis.has(name)
