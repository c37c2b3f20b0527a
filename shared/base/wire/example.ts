// What `functions/<area>/examples.ts` says: for each operation a request that its shapes accept, and responses of the running
// service with ids made plain. The reference shows them and tests send them; no function holds them.
import type { Route } from './route.ts'

/** `responses` by status. */
export type Example = { body?: object; responses?: Record<number, object> }

/** By the keys of an area's rows. */
export type Examples<Rows extends Record<string, Route>> = { [Key in keyof Rows]?: Example }
