// The place of a page in a request with a body.
import type { Model } from '../catalogue/provider.ts'
import { isObject, type JsonMap } from '../openapi/resolve.ts'

/** What is always sent, with the cursor at its path (in dots). */
export function bodyAt({ body = {}, paging }: Model, next: string | undefined): JsonMap {
  if (next === undefined || paging.by === 'link') return body
  return withAt(body, paging.to.split('.'), next)
}

function withAt(of: JsonMap, [name = '', ...rest]: readonly string[], value: string): JsonMap {
  const inner = of[name]
  return { ...of, [name]: rest.length === 0 ? value : withAt(isObject(inner) ? inner : {}, rest, value) }
}

/** An offset as it was handed on; 0 at the start. */
export const numberOf = (next: string | undefined): number => Number(next ?? 0) || 0
