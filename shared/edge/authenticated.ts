// What every form of credential comes to, and the one answer to those that are not good.
import type { Context, Principal, Space } from '../base/context.ts'
import { Failure } from '../base/lib/failure.ts'
import type { Table } from '../base/table/table.ts'
import type { Call } from '../base/wire/call.ts'

/** Starts the first reads of a request in a known space. */
export type Begin = (call: Call, space: Space, table: Table) => NonNullable<Call['started']>

export type Authenticated = {
  space: Space
  principal: Principal
  started: NonNullable<Call['started']>
  /** Reads the credential again; throws when it has become invalid. */
  recheck: () => Promise<void>
  /** Writes when the credential was last used, where that is due; beside the operation. */
  note: (ctx: Context) => Promise<void> | undefined
}

/** `personal`: the route is about the caller's own account, which is the same in both modes. */
export type PresentedToken = { token: string; personal: boolean }

export const unauthenticated = () =>
  new Failure('unauthenticated', 'invalid or expired credentials', {
    headers: {
      'WWW-Authenticate': `Bearer realm="countersign", resource_metadata="${process.env.BASE_URL}/.well-known/oauth-protected-resource"`,
    },
  })
