// What is larger or smaller than the guidance. That something is large is a report, not a rule: a file that is large for a
// reason says so.
import { dirname } from 'node:path/posix'
import { graphOf, type Texts } from './graph.ts'
import { isNode, type Node, type Source } from './source.ts'

const FUNCTION_LINES = 40
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

const fileLinesMax = (path: string) => {
  if (path.startsWith('functions/console/app/')) return 300
  if (/^functions\/[^/]+\/(?!routes\.ts)/.test(path)) return 40
  return /^(?:test|shared)\//.test(path) ? 250 : 150
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

const THIN_LINES = 25

/**
 * Files of `shared/` that are a part of another thought: short, and with one importer, which is in the same room. What is loaded
 * late has a file of its own for that reason. `kept`: path → why it stays.
 */
export function thinFiles(texts: Texts, kept: Readonly<Record<string, string>> = {}): string[] {
  const { importers, late } = graphOf(texts)
  return [...texts].flatMap(([path, text]) => {
    const lines = text.trimEnd().split('\n').length
    const [importer, ...others] = importers.get(path) ?? []
    if (!path.startsWith('shared/') || lines >= THIN_LINES || path in kept) return []
    if (!importer || others.length > 0 || dirname(importer) !== dirname(path)) return []
    if (late.get(importer)?.has(path)) return []
    return [`${path} has ${lines} lines (${THIN_LINES}) and serves ${importer} alone: make them one`]
  })
}
