// What `functions/<area>/examples.ts` says: for each operation a request that its shapes accept, and responses of the running
// service with ids made plain; and the variables of paths. The reference shows them and tests send them; no function holds them.
import type { Route } from './route.ts'

/** `responses` by status. */
export type Example = { body?: object; responses?: Record<number, object> }

/** By the keys of an area's rows. */
export type Examples<Rows extends Record<string, Route>> = { [Key in keyof Rows]?: Example }

export type Variable = readonly [description: string, example: string]

/** Each variable in the paths of an area, by the path that ends with it. The tenant's own id is the same in all of them. */
export type Variables<Rows extends Record<string, Route>> = Readonly<Record<EndsOf<Rows[keyof Rows]['path']>, Variable>>

/** `/a/{b}/c/{d}/e` → `/a/{b}` and `/a/{b}/c/{d}`. */
type EndsOf<P extends string, Before extends string = ''> = P extends `${infer Head}{${infer Name}}${infer Rest}`
  ? (Name extends 'tenant_id' ? never : `${Before}${Head}{${Name}}`) | EndsOf<Rest, `${Before}${Head}{${Name}}`>
  : never
