// Which files a source names, read from its text alone: fast enough for a report over all sources, and the same for types
// and values.
import { dirname, join } from 'node:path/posix'

/** Path → text. */
export type Texts = ReadonlyMap<string, string>

/** From a file to the files that it names. */
export type Edges = ReadonlyMap<string, ReadonlySet<string>>

export type Graph = {
  /** By any import, also a late one or one of types. */
  imports: Edges
  /** By what is loaded with the file. */
  values: Edges
  /** By `import()`. */
  late: Edges
  importers: Edges
}

const ANY = /(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g
const LATE = /import\(\s*['"](\.[^'"]+)['"]/g
const LOADED = /^(?:import|export)\s+(?!type\b)([^'"]*?)from\s+['"](\.[^'"]+)['"]/gms

const isTypesOnly = (names: string) =>
  /^\{.*\}$/s.test(names.trim()) &&
  names
    .replaceAll(/[{}]/g, '')
    .split(',')
    .map((name) => name.trim())
    .every((name) => name === '' || name.startsWith('type '))

export function graphOf(texts: Texts): Graph {
  const edges = (namesIn: (text: string) => string[]): Edges =>
    new Map(
      [...texts].map(([path, text]) => {
        const targets = namesIn(text).map((name) => join(dirname(path), name))
        return [path, new Set(targets.filter((target) => texts.has(target)))]
      }),
    )
  const named = (pattern: RegExp) => edges((text) => [...text.matchAll(pattern)].map(([, name = '']) => name))
  const imports = named(ANY)
  const values = edges((text) =>
    [...text.matchAll(LOADED)].flatMap(([, names = '', from = '']) => (isTypesOnly(names) ? [] : [from])),
  )
  return { imports, values, late: named(LATE), importers: reversed(imports) }
}

function reversed(edges: Edges): Edges {
  const back = new Map<string, Set<string>>([...edges.keys()].map((path) => [path, new Set()]))
  for (const [from, targets] of edges) for (const target of targets) back.get(target)?.add(from)
  return back
}

/** The file and all that it reaches. */
export function closureOf(start: string, edges: Edges): Set<string> {
  const reached = new Set([start])
  for (const path of reached) for (const target of edges.get(path) ?? []) reached.add(target) // a Set also visits what is added meanwhile
  return reached
}

/** Lines of import statements, also of those that take several. */
export function importLines(text: string): number {
  let count = 0
  let open = false
  for (const line of text.split('\n')) {
    if (!open && !/^import\b/.test(line)) continue
    count += 1
    open = !/from\s+['"]/.test(line) && !/^import\s+['"]/.test(line)
  }
  return count
}
