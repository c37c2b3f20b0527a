// HEAD (RFC 9110, section 9.3.2): the headers that GET would have, and no body.
import { NONE, type Method, type Route } from './route.ts'

type Row = Pick<Route, 'method' | 'evidence' | 'stream' | 'dialect'>

/**
 * A GET that leaves evidence or moves something is not asked by HEAD, because programs that check links send it unasked. Event
 * streams have no length, and OAuth and MCP say themselves which methods they know.
 */
export const answersHead = ({ method, evidence, stream, dialect }: Row): boolean =>
  method === 'GET' && evidence === NONE && !stream && dialect !== 'oauth' && dialect !== 'mcp'

/** The methods that a path answers, each once. */
export const methodsOf = (routes: readonly Row[]): (Method | 'HEAD')[] => [
  ...new Set(routes.flatMap((route) => (answersHead(route) ? [route.method, 'HEAD' as const] : [route.method]))),
]
