// A held action does not run if somebody has ended the access through which it was requested: nobody is accountable for it any
// more, and its approvers decided on the requester, too. Access that only ran out of time was taken from nobody.
import type { Space } from '../../base/context.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import type { Table } from '../../base/table/table.ts'
import { keyRefs } from '../../identity/access/api-key.ts'
import { mayAct } from '../../identity/access/permissions.ts'
import { type User, users } from '../../identity/accounts/user.ts'
import type { Approval } from './approval.ts'

type Asked = Pick<Approval, 'requested_by' | 'client_id' | 'request_id'>

/** Why the requester may not ask any more; undefined while they may. Its reads join the other reads of the moment. */
export async function endedAccess(table: Table, space: Space, asked: Asked): Promise<string | undefined> {
  const { tenant_id } = space
  const { type, id } = asked.requested_by
  if (type === 'user') return endedPerson(table, space, asked)
  if (type === 'client') return (await oauth()).endedClient(table, { tenant_id, client_id: id })
  if (type !== 'api_key') return undefined
  const ref = await table.get(keyRefs, { tenant_id, id })
  return !ref || ref.revoked_at ? 'the API key that asked for it was revoked' : undefined
}

async function endedPerson(table: Table, { tenant_id }: Space, { requested_by: { id }, client_id, request_id }: Asked) {
  const [user, connection] = await Promise.all([
    table.get(users, { tenant_id, id }),
    client_id === undefined
      ? undefined
      : oauth().then(({ connectionNow }) => connectionNow(table, { tenant_id, client_id, user_id: id })),
  ])
  if (!user || !mayAct(user)) return 'the person who asked for it has no access any more'
  if (!connection) return undefined
  const isOver = timeOfId(request_id) <= Math.max(connection.ended_at, signedOutAt(user))
  return isOver ? 'the access of the application that asked for it was ended' : connection.ended
}

/** Signing out everywhere ends what applications may do, too. */
const signedOutAt = ({ tokens_valid_after: at }: User): number => (at === null ? 0 : Date.parse(at))

/** Few actions are asked through an OAuth client. */
const oauth = () => import('./revoked-client.ts')
