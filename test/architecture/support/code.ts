// What no source may do, or only with a reason beside it.
import { finding, isNode, type Node, type Source } from './source.ts'

/** Where time and randomness come from: the clock and adapter files, the stand-ins, the tools and the tests. */
const SOURCES_OF_TIME = /^(shared\/lib\/(clock|ids)\.ts|shared\/aws\/|infra\/local\/|bin\/|test\/)/

const nameOf = (value: unknown) => (isNode(value) && typeof value.name === 'string' ? value.name : '')

/** `a.b` of a member expression, `a` of an identifier. */
function spelling(value: unknown): string {
  if (!isNode(value) || value.type !== 'MemberExpression') return nameOf(value)
  return `${spelling(value.object)}.${nameOf(value.property)}`
}

const argumentsOf = ({ arguments: given }: Node) => (Array.isArray(given) ? given.length : 0)

function ambient(node: Node): string | undefined {
  const called = node.type === 'CallExpression' || node.type === 'NewExpression' ? spelling(node.callee) : ''
  if (called === 'Date' && argumentsOf(node) === 0) return 'the present time'
  const named =
    node.type === 'MemberExpression' ? spelling(node) : node.type === 'ImportSpecifier' ? nameOf(node.imported) : called
  if (named === 'Date.now' || named === 'Math.random') return named
  return /(^|\.)(randomUUID|setTimeout)$/.exec(named)?.[2]
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
  if (/^(shared\/aws|test)\//.test(source.path) || !source.text.includes('@aws-sdk/client-')) return []
  return source.nodes.flatMap((node) =>
    node.type === 'NewExpression' && /\w+Client$/.test(nameOf(node.callee))
      ? finding(source, node, `builds a ${nameOf(node.callee)} outside shared/aws`)
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
