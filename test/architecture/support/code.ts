// What no source may do, or only with a reason beside it.
import { finding, isNode, type Node, type Source } from './source.ts'

/** Where time and randomness come from: the clock and adapter files, the stand-ins, the tools and the tests. */
const SOURCES_OF_TIME = /^(shared\/base\/lib\/(clock|ids)\.ts|shared\/base\/aws\/|infra\/local\/|bin\/|test\/)/

const nameOf = (value: unknown) => (isNode(value) && typeof value.name === 'string' ? value.name : '')

/** `a.b` of a member expression, `a` of an identifier. */
function spelling(value: unknown): string {
  if (!isNode(value) || value.type !== 'MemberExpression') return nameOf(value)
  return `${spelling(value.object)}.${nameOf(value.property)}`
}

const BY_ITSELF = /^(Date\.now|Math\.random)$|\b(randomUUID|setTimeout)$/

/** What a node takes from its surroundings instead of being given it. */
function ambient({ type, callee, imported, ...node }: Node): string | undefined {
  if (type === 'MemberExpression') return BY_ITSELF.exec(spelling({ type, ...node }))?.[0]
  if (type === 'ImportSpecifier') return BY_ITSELF.exec(nameOf(imported))?.[0]
  if (type !== 'CallExpression' && type !== 'NewExpression') return undefined
  const bare = Array.isArray(node.arguments) && node.arguments.length === 0
  return bare && nameOf(callee) === 'Date' ? 'the present time' : BY_ITSELF.exec(nameOf(callee))?.[0]
}

/** Time and randomness are passed in. */
export function ambientTime(source: Source): string[] {
  if (SOURCES_OF_TIME.test(source.path)) return []
  return source.nodes.flatMap((node) => {
    const what = ambient(node)
    return what ? finding(source, node, `takes ${what} by itself`) : []
  })
}

/** Only the factory gives clients their deadlines. */
export function clients(source: Source): string[] {
  if (/^(shared\/base\/aws|test)\//.test(source.path) || !source.text.includes('@aws-sdk/client-')) return []
  return source.nodes.flatMap((node) =>
    node.type === 'NewExpression' && /\w+Client$/.test(nameOf(node.callee))
      ? finding(source, node, `builds a ${nameOf(node.callee)} outside shared/base/aws`)
      : [],
  )
}

const within = (value: unknown): unknown =>
  isNode(value) && value.type === 'ParenthesizedExpression' ? within(value.expression) : value

const isCast = (value: unknown): value is Node => isNode(value) && value.type === 'TSAsExpression'

/** How a node silences the compiler, if it does. */
function silences(node: Node): string | undefined {
  if (node.type === 'TSAnyKeyword') return 'any'
  if (node.type === 'TSNonNullExpression') return '!'
  const inner = within(node.expression)
  const unknown =
    isCast(node) && isCast(inner) && isNode(inner.typeAnnotation) && inner.typeAnnotation.type === 'TSUnknownKeyword'
  return unknown ? 'as unknown as' : undefined
}

const isReason = (comment: string) =>
  comment
    .replace(/oxlint-disable\S*( [\w/-]+)?/, '')
    .trim()
    .split(/\s+/).length > 2

/** Whoever knows better than the compiler says why, on the same line or right above. */
export const reasons = (source: Source): string[] => {
  const { comments, lineAt } = source
  const reasoned = new Set(comments.filter(({ value }) => isReason(value)).map(({ end }) => lineAt(end)))
  const commented = new Set(comments.flatMap(({ start, end }) => [lineAt(start), lineAt(end)]))
  const explained = (line: number): boolean =>
    reasoned.has(line - 1) || (commented.has(line - 1) && explained(line - 1))
  return source.nodes.flatMap((node) => {
    const what = silences(node)
    if (!what) return []
    const [first, last] = [lineAt(node.start), lineAt(node.end)]
    return reasoned.has(last) || explained(first) ? [] : finding(source, node, `${what} without a reason`)
  })
}

const UNFINISHED = /\b(TODO|FIXME|XXX|HACK)\b/
const MACHINE = /(?<![\w.])\/(home|Users|root|work|mnt)\/\w+|\bC:\\/
const REGISTRY = /\b(registry\.npmjs|npm\.pkg\.github|registry\.yarnpkg)\b/

/** A repository that anyone can clone says nothing of the machine it was made on, and nothing that is still to be done. */
export function words(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, at) => {
    const word = [UNFINISHED, MACHINE, REGISTRY].map((pattern) => pattern.exec(line)?.[0]).find(Boolean)
    return word ? `${path}:${at + 1} says ${word}` : []
  })
}
