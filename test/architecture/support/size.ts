// What is larger than the guidance. A report, not a rule: a file that is large for a reason says so.
import { isNode, type Node, type Source } from './source.ts'

const FUNCTION_LINES = 40
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

const fileLinesMax = (path: string) => {
  if (path.startsWith('test/')) return 250
  return /^functions\/[^/]+\/(?!routes\.ts)/.test(path) ? 40 : 150
}

const linesOf = ({ lineAt }: Source, { start, end }: { start: number; end: number }) => lineAt(end) - lineAt(start) + 1

export const largeFile = (source: Source): string[] => {
  const lines = linesOf(source, { start: 0, end: source.text.trimEnd().length })
  return lines > fileLinesMax(source.path) ? [`${source.path} ${lines} lines (${fileLinesMax(source.path)})`] : []
}

/** The body of a `describe` is no function that anyone reads as one, so tests are left out. */
export const largeFunctions = (source: Source): string[] =>
  source.path.startsWith('test/')
    ? []
    : source.nodes
        .filter((node) => FUNCTIONS.has(node.type) && linesOf(source, node) > FUNCTION_LINES)
        .map(
          (node) =>
            `${source.path}:${source.lineAt(node.start)} ${nameOf(node)} ${linesOf(source, node)} lines (${FUNCTION_LINES})`,
        )

const nameOf = ({ id }: Node) => (isNode(id) && typeof id.name === 'string' ? id.name : 'function')
