// Serves the other methods of every path and /{proxy+}, so that these answers look like all others.
import { unmatched } from '../shared/edge/unmatched.ts'
import { routes } from './api.ts'

const byPath = Map.groupBy(routes, (route) => route.path)

export const handler = unmatched((event) => byPath.get(event.resource) ?? [])
