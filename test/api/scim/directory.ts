// A directory that a test provisions over HTTP, as an identity provider would: with the key it was given.
import { auth } from '../../../functions/auth/routes.ts'
import { events } from '../../../functions/events/routes.ts'
import { scim } from '../../../functions/scim/routes.ts'
import type { Call, Reply } from '../../support/call.ts'
import { type LocalStack, PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { tokenFor } from '../../support/mailbox.ts'

export type Mode = 'live' | 'test'
export const MODES: Mode[] = ['live', 'test']

export type Directory = {
  tenant: TestTenant
  mode: Mode
  call: Call
  /** The created user; throws when it was refused. */
  user: (body: { userName: string } & Record<string, unknown>) => Promise<Reply['body']>
  group: (body: object) => Promise<Reply['body']>
  patchUser: (id: string, body: object, headers?: Record<string, string>) => Promise<Reply>
  patchGroup: (id: string, body: object) => Promise<Reply>
  filterUsers: (filter: string, query?: object) => Promise<Reply>
  filterGroups: (filter: string, query?: object) => Promise<Reply>
}

export const inOrder = (ids: readonly string[]): string[] => ids.toSorted()

/** The person proves that the mailbox is theirs, by a link that sets their password. */
export async function prove(local: LocalStack, email: string, password = PASSWORD): Promise<void> {
  await local.call(auth.forgotPassword, { body: { email } })
  const token = await tokenFor(local, email, 'password_reset')
  const { status, body } = await local.call(auth.resetPassword, { body: { token, password } })
  if (status !== 200) throw new Error(JSON.stringify(body))
}

/** The events of these types so far, oldest first. */
export async function told(local: LocalStack, { call }: Directory, ...types: string[]): Promise<Reply['body'][]> {
  await local.drain()
  const { body } = await call(events.list, { query: { limit: 200, types: types.join(',') } })
  return body.items
}

export async function directory(local: LocalStack, mode: Mode = 'live', known?: TestTenant): Promise<Directory> {
  const tenant = known ?? (await local.tenant())
  const { call } = tenant.as({ key: mode === 'live' ? tenant.live_key : tenant.test_key })
  return {
    tenant,
    mode,
    call,
    user: async (body) => created(await call(scim.createUser, { body })),
    group: async (body) => created(await call(scim.createGroup, { body })),
    patchUser: (id, body, headers = {}) => call(scim.patchUser, { params: { id }, body, headers }),
    patchGroup: (id, body) => call(scim.patchGroup, { params: { id }, body }),
    filterUsers: (filter, query = {}) => call(scim.listUsers, { query: { filter, ...query } }),
    filterGroups: (filter, query = {}) => call(scim.listGroups, { query: { filter, ...query } }),
  }
}

function created({ status, body }: Reply): Reply['body'] {
  if (status !== 201) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
  return body
}
