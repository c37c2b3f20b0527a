// Serves the other methods of every path and /{proxy+}, so that these answers look like all others.
import { unmatched } from '../shared/edge/unmatched.ts'
import { routes } from './api.ts'

/** In lower case, because the gateway also knows some paths so. */
const byPath = Map.groupBy(routes, ({ path }) => path.toLowerCase())

export const handler = unmatched((event) => byPath.get(event.resource.toLowerCase()) ?? [])
