// Where the server of an operation is, seen from the base address of its connector. A connection sends its credential below that
// address only, so an operation is published with the rest of its server's path, or not at all.
import { isObject, type JsonMap, listAt, mapAt, Skipped, textAt } from './resolve.ts'

type Server = { url: string; variables: JsonMap }

/** More would let a document make the comparison slow. */
const VARIABLES_MAX = 2
const VARIABLE = /\{([^{}]+)\}/g
const escaped = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')

const serversIn = (list: readonly unknown[]): Server[] =>
  list.filter(isObject).map((one) => ({ url: textAt(one, 'url') ?? '/', variables: mapAt(one, 'variables') }))

/**
 * What of the server's path goes before the path of the operation; empty for the base address itself. Throws `Skipped` where no server
 * of the operation is at the base address or below it.
 */
export function prefixOf(document: JsonMap, servers: readonly unknown[] | undefined, base: string): string {
  if (servers === undefined) return ''
  const own = serversIn(servers)
  const roots = serversIn(listAt(document, 'servers'))
  const isElsewhere = !roots.some((root) => below(root, base) !== undefined)
  for (const server of own) {
    // A connector may be another installation of the API than the one that the document names.
    if (isElsewhere && roots.some((root) => root.url === server.url)) return ''
    const prefix = below(server, base)
    if (prefix !== undefined) return prefix
  }
  throw new Skipped('other_server', own.map(({ url }) => url).join(' '))
}

/** The rest of the path of a server that is at the base address or below it. */
function below(server: Server, base: string): string | undefined {
  const at = URL.parse(base)
  if (!at) return undefined
  const url = URL.parse(filled(server, at), `${at.href.replace(/\/$/, '')}/`)
  if (!url || url.origin !== at.origin || url.search || url.hash || url.username) return undefined
  const [path, root] = [url.pathname, at.pathname].map((one) => one.replace(/\/$/, '')) as [string, string]
  if (path === root) return ''
  return path.startsWith(`${root}/`) ? path.slice(root.length) : undefined
}

/** The address with its variables: as the base address has them where it can be this server, else their defaults. */
function filled(server: Server, base: URL): string {
  const values = new Map([...defaultsOf(server), ...valuesIn(server, base)])
  return server.url.replaceAll(VARIABLE, (whole, name: string) => values.get(name) ?? whole)
}

const defaultsOf = ({ variables }: Server) =>
  Object.keys(variables).flatMap((name): [string, string][] => {
    const given = textAt(mapAt(variables, name), 'default')
    return given === undefined ? [] : [[name, given]]
  })

/** The values of variables by which the origin, and where it fits the path, of a server are those of the base address. */
function valuesIn({ url, variables }: Server, base: URL): [string, string][] {
  const names = [...url.matchAll(VARIABLE)].map(([, name = '']) => name)
  if (names.length === 0 || names.length > VARIABLES_MAX) return []
  const [, origin = '', path = ''] = /^([^/]*:\/\/[^/]*)(.*)$/.exec(url) ?? []
  const whole = matched(url.replace(/\/$/, ''), base.href.replace(/\/$/, ''), variables)
  return whole ?? (path === '' ? undefined : matched(origin, base.origin, variables)) ?? []
}

function matched(template: string, address: string, variables: JsonMap): [string, string][] | undefined {
  const names: string[] = []
  const parts = template.split(VARIABLE).map((part, i) => {
    if (i % 2 === 0) return escaped(part)
    names.push(part)
    return `(${oneOf(mapAt(variables, part))})`
  })
  const found = new RegExp(`^${parts.join('')}$`).exec(address)
  return found ? names.map((name, i) => [name, found[i + 1] ?? '']) : undefined
}

/** One label or segment; values that the document lists are the only ones. */
function oneOf(variable: JsonMap): string {
  const values = listAt(variable, 'enum').filter((one) => typeof one === 'string')
  return values.length > 0 ? values.map(escaped).join('|') : '[^/]{1,253}?'
}
