// Operations that send a GraphQL document. An extension names it: the document itself, or `{document, path}` where several
// operations of a connector are sent to one path. The body of such an operation holds the variables.
import { isObject, member, textAt } from './json-map.ts'
import type { Operation } from './operations.ts'

export type Graphql = { document: string; path: string | undefined }

export function graphqlOf({ of, method }: Operation): Graphql | undefined {
  if (method !== 'POST') return undefined
  const given = member(of, 'x-graphql')
  if (typeof given === 'string') return { document: given, path: undefined }
  const document = isObject(given) ? textAt(given, 'document') : undefined
  return isObject(given) && document !== undefined ? { document, path: textAt(given, 'path') } : undefined
}
