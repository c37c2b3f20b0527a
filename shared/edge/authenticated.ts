// The result of authentication, the same for every kind of credential, and the single 401 for all that fail.
import type { Context, Principal, Space } from '../base/context.ts'
import type { Table } from '../base/table/table.ts'
import type { Call } from '../base/wire/call.ts'

/** Whose credential it is, as far as it is known before the credential is read. */
export type Caller = Pick<Principal, 'kind' | 'id' | 'agent_id'> & Partial<Pick<Principal, 'persons'>>

/** Starts the first reads of a request in a known space. */
export type Begin = (call: Call, space: Space, table: Table, caller?: Caller) => NonNullable<Call['started']>

export type Authenticated = {
  space: Space
  principal: Principal
  started: NonNullable<Call['started']>
  /** Reads the credential again; throws when it is no longer valid. */
  recheck: () => Promise<void>
  /** Writes the time of last use when it is due, in parallel to the operation. */
  note: (ctx: Context) => Promise<void> | undefined
}

/**
 * `personal`: the route is about the caller's own account, which is the same in both modes. `audience`: the resource that the
 * token must be for, if not the API.
 */
export type PresentedToken = { token: string; personal: boolean; audience?: string | undefined }
