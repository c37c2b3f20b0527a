// People of the test directory exist in SCIM only. Their changes give evidence and events, but affect no account.
import { type Change, changed } from '../../../ledger/audit/changed.ts'
import type { Context } from '../../../base/context.ts'
import type { EventDraft } from '../../../ledger/events/event.ts'
import type { Resource } from '../resource-type.ts'
import { accountFields, changedResource } from './fields.ts'
import type { Person } from './user.ts'
import type { UserChange } from './update-user.ts'

/** A random UUID (RFC 9562, version 4), like the ids of accounts. */
export function newTestId({ random }: Context): string {
  const bytes = Buffer.from(random(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

type ChangeKind = 'created' | 'updated' | 'restored' | 'deprovisioned'

/** `version`: the version after the change. */
export function testChange(
  id: string,
  kind: ChangeKind,
  resource: Resource,
  version: number,
  fields: string[] = [],
): Change {
  const { email, name } = accountFields(resource)
  return {
    action: `user.${kind}`,
    artifact: `identity.user.${kind}`,
    subject: { type: 'user', id, name },
    data: { source: 'scim', ...(fields.length > 0 && { changed_fields: fields }) },
    changes: fields.map((path) => ({ path, before: '***', after: '***' })),
    events: [event(id, kind, email ?? '', version, fields)],
  }
}

function event(user_id: string, kind: ChangeKind, email: string, version: number, fields: string[]): EventDraft {
  const subject = { id: user_id, version }
  switch (kind) {
    case 'created':
      return { type: 'user.created', subject, data: { user_id, email, roles: [], source: 'scim' } }
    case 'deprovisioned': {
      const nothing = { sessions_revoked: 0, keys_revoked: 0, tasks_reassigned: 0 }
      return { type: 'user.deprovisioned', subject, data: { user_id, email, source: 'scim', ...nothing } }
    }
    default: {
      const changed_fields = kind === 'restored' ? ['status'] : fields
      return { type: 'user.updated', subject, data: { user_id, changed_fields, roles: [], source: 'scim' } }
    }
  }
}

/** Records the changes that an account would go through. A password is neither checked nor stored. */
export async function changeTestUser(ctx: Context, person: Person, change: UserChange): Promise<void> {
  const { was, next, fields, password } = change
  const version = (person.item?._v ?? 0) + 1
  const named = [...fields, ...(password === undefined ? [] : ['password'])]
  const changes: Change[] = []
  if (named.length > 0) changes.push(testChange(person.id, 'updated', next, version, named))
  else if (next.active) changes.push(testChange(person.id, 'restored', next, version))
  if (was.active && !next.active) changes.push(testChange(person.id, 'deprovisioned', next, version))
  const [first, ...others] = changes
  if (!first) return
  await ctx.table.commit([...(await changedResource(ctx, person, change)), ...changed(ctx, [first, ...others])])
}
