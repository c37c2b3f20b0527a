// Finds the route of a path like API Gateway: segment by segment, where a fixed name wins over a variable, and a slash at the end
// counts for nothing.
import type { Route } from '../../shared/base/wire/route.ts'
import { passedOn, placed } from '../surface.ts'

type Node = {
  fixed: Map<string, Node>
  variable?: { name: string; node: Node }
  /** Set at the end of a path. */
  path?: string
  routes: Map<string, Route>
}

/** `route` is undefined when the path has no such method. Values are still percent-encoded. */
export type Match = { path: string; route: Route | undefined; values: Record<string, string> }

export type FindRoute = (method: string, path: string) => Match | undefined

export function routeTree(routes: readonly Route[]): FindRoute {
  const root: Node = { fixed: new Map(), routes: new Map() }
  for (const [path, route] of placed(routes)) {
    const end = path.split('/').slice(1).reduce(grow, root)
    end.path = path
    for (const method of passedOn(route)) end.routes.set(method, route)
  }
  return (method, path) => {
    const found = walk(
      root,
      path
        .replace(/(?<=.)\/$/, '')
        .split('/')
        .slice(1),
      {},
    )
    return found && { path: found.path, route: found.node.routes.get(method), values: found.values }
  }
}

function grow(node: Node, segment: string): Node {
  const name = /^\{(\w+)\}$/.exec(segment)?.[1]
  if (name) {
    node.variable ??= { name, node: { fixed: new Map(), routes: new Map() } }
    return node.variable.node
  }
  const child: Node = node.fixed.get(segment) ?? { fixed: new Map(), routes: new Map() }
  node.fixed.set(segment, child)
  return child
}

type Found = { node: Node; path: string; values: Record<string, string> }

function walk(node: Node, segments: string[], values: Record<string, string>): Found | undefined {
  const [segment, ...rest] = segments
  if (segment === undefined) return node.path === undefined ? undefined : { node, path: node.path, values }
  const fixed = node.fixed.get(segment)
  const found = fixed && walk(fixed, rest, values)
  if (found || !node.variable || segment === '') return found
  return walk(node.variable.node, rest, { ...values, [node.variable.name]: segment })
}
