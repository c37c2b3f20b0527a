// Who may import what. `from` is the importing file, `to` what it imports, relative to the project.
import { dirname, join } from 'node:path/posix'
import { finding, isNode, type Node, type Source } from './source.ts'

type Import = { node: Node; from: string; typeOnly: boolean }

const KINDS = new Set(['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression'])

/** Every module that a source names, statically or not. */
export function importsOf({ nodes }: Source): Import[] {
  return nodes.flatMap((node) => {
    const { type, source, importKind, exportKind } = node
    if (!KINDS.has(type) || !isNode(source) || typeof source.value !== 'string') return []
    return { node, from: source.value, typeOnly: importKind === 'type' || exportKind === 'type' }
  })
}

type Layer = { files: RegExp; may: RegExp }

/** The first layer that a file belongs to says which files of ours it may import; tests may import anything. */
const LAYERS: readonly Layer[] = [
  { files: /^functions\/[^/]+\/routes\.ts$/, may: /^shared\/base\/wire\/route\.ts$/ },
  // Examples are for tests and the reference: nothing that is deployed may reach them.
  { files: /^functions\/samples\.ts$/, may: /^$/ },
  {
    files: /^functions\/[^/]+\/examples\.ts$/,
    may: /^(functions\/(samples|[^/]+\/routes)|shared\/base\/wire\/example)\.ts$/,
  },
  { files: /^functions\/api\.ts$/, may: /^(shared\/base\/wire\/route|functions\/[^/]+\/routes)\.ts$/ },
  { files: /^functions\/unmatched\.ts$/, may: /^(shared\/.*|functions\/api\.ts)$/ },
  // It counts the endpoints.
  { files: /^functions\/claims\/snapshot\.ts$/, may: /^(shared\/.*|functions\/(api|claims\/routes)\.ts)$/ },
  { files: /^functions\//, may: /^(shared\/.*|functions\/[^/]+\/routes\.ts|functions\/(effects|first-proof)\.ts)$/ },
  { files: /^shared\//, may: /^shared\// },
  {
    files: /^infra\/local\//,
    // The stand-ins of providers speak as the catalogue says, with the pages of the service; Lambda's gives each call a trace.
    may: /^(infra\/.*|functions\/(api|workers)\.ts|shared\/(base\/lib\/trace|base\/wire\/(route|worker|page)|deliver\/webhooks\/schedule|deliver\/integrations\/catalogue\/\w+|base\/limits\/plans)\.ts)$/,
  },
  // The document describes the shapes of requests, answers and events, and the table of permissions.
  { files: /^infra\/(openapi|docs)\//, may: /^(infra\/(?!local\/).*|shared\/.*)$/ },
  {
    files: /^infra\//,
    may: /^(infra\/(?!local\/).*|functions\/(api|workers)\.ts|shared\/(base\/wire\/(route|worker|head)|base\/catalog\/(platform-metrics|queues)|base\/limits\/published|deliver\/webhooks\/schedule)\.ts)$/,
  },
  { files: /^bin\/local\.ts$/, may: /^infra\// },
  { files: /^bin\/check\.ts$/, may: /^(functions\/api\.ts|test\/architecture\/support\/.*)$/ },
  { files: /^bin\//, may: /^(infra\/(?!local\/).*|shared\/.*|functions\/(api|workers)\.ts|bin\/.*)$/ },
]

const isRelative = (from: string) => /^\.\.?\//.test(from)

export function layers(source: Source): string[] {
  const layer = LAYERS.find(({ files }) => files.test(source.path))
  if (!layer) return []
  return importsOf(source).flatMap(({ node, from }) => {
    const to = join(dirname(source.path), from)
    return !isRelative(from) || layer.may.test(to) ? [] : finding(source, node, `may not import ${to}`)
  })
}

/** Node runs the sources as they are, so an import names the file. */
export const extensions = (source: Source): string[] =>
  importsOf(source).flatMap(({ node, from }) =>
    isRelative(from) && !/\.(ts|json|mjs)$/.test(from) ? finding(source, node, `import of ${from} without .ts`) : [],
  )

/** Any other import of zod takes its locales along: 454 KB instead of 90. */
export const zodAsNamespace = (source: Source): string[] =>
  importsOf(source).flatMap(({ node, from, typeOnly }) => {
    if (from !== 'zod' || typeOnly) return []
    const [specifier, ...others] = Array.isArray(node.specifiers) ? node.specifiers : []
    const whole = isNode(specifier) && specifier.type === 'ImportNamespaceSpecifier' && others.length === 0
    return whole ? [] : finding(source, node, "import zod as `import * as z from 'zod'`")
  })

/** A file that hands on what others of ours export, or all of a package, makes a bundle load them. */
export const barrels = (source: Source): string[] =>
  importsOf(source).flatMap(({ node, from }) =>
    node.type === 'ExportAllDeclaration' || (node.type === 'ExportNamedDeclaration' && isRelative(from))
      ? finding(source, node, 'hands on exports of another file')
      : [],
  )

const CONFIGURATION = /\.config\.ts$/

export const defaultExports = (source: Source): string[] =>
  CONFIGURATION.test(source.path)
    ? []
    : source.nodes
        .filter(({ type }) => type === 'ExportDefaultDeclaration')
        .map((node) => finding(source, node, 'exports a default'))

/** What is deployed needs nothing that is installed for development only. */
export const developmentPackages =
  (dependencies: readonly string[]) =>
  (source: Source): string[] => {
    if (!/^(shared|functions)\//.test(source.path)) return []
    return importsOf(source).flatMap(({ node, from }) => {
      const known = isRelative(from) || from.startsWith('node:') || dependencies.some((name) => isPartOf(from, name))
      return known ? [] : finding(source, node, `${from} is no dependency`)
    })
  }

const isPartOf = (from: string, name: string) => from === name || from.startsWith(`${name}/`)
