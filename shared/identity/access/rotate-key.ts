// Changes an API key: a successor with the same rights, or another name.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { type ApiKey, apiKeys, keyInserts, statusOf } from './api-key.ts'
import {
  adminKeyMails,
  type Made,
  mustBeActive,
  mustBeAllowedToGiveScopes,
  mustBeConfirmed,
  mustHaveKeyCapacity,
  newApiKey,
} from './create-key.ts'
import { findKey } from './key-view.ts'
import { mustBeAllowedToGive } from './roles.ts'
import { permissionsOfScopes } from '../../base/catalog/permissions.ts'
import { personsOf } from './permissions.ts'

type Rotation = { id: string; expires_in_days?: number | undefined }

/**
 * Makes a key with the same rights and returns its secret, which is stored nowhere. Both keys work until the former one is
 * revoked. The caller sees the new key, so they must hold all of its permissions (403) and could act with it from then on. Throws
 * 409 for a key that is no longer active. Name, scopes and agent are those of the former key, not the caller's choice.
 */
export async function rotateKey(ctx: Context, { id, expires_in_days }: Rotation): Promise<Made> {
  const was = await findKey(ctx, id)
  const status = statusOf(was, ctx.now())
  if (status !== 'active') throw conflict(`The API key is ${status}. Make a new one instead.`)
  mustBeAllowedToGiveScopes(ctx.principal, was)
  mustBeAllowedToGive(ctx.principal, permissionsOfScopes(was.scopes).intersection(new Set(was.cap)))
  await mustBeConfirmed(ctx, was)
  await mustHaveKeyCapacity(ctx)
  const { name, kind, scopes, cap, service, agent_id, lineage = id } = was
  const seen_by = personsOf(was)
  const created_by = ctx.principal.id
  const parts = { name, kind, scopes, cap, service, agent_id, lineage, created_by, seen_by }
  const { secret, item } = await newApiKey(ctx, { ...parts, expires_in_days, replaces: id })
  const writes = changed(
    ctx,
    [
      {
        action: 'api_key.rotated',
        artifact: 'identity.api_key.rotated',
        subject: { type: 'api_key', id: item.id, name },
        data: { replaces: id, expires_at: item.expires_at },
        changes: [{ path: 'replaces', after: id }],
      },
    ],
    { mails: adminKeyMails(ctx, item) },
  )
  await ctx.table.commit([...keyInserts(item), mustBeActive(ctx), ...writes], item.id)
  return { secret, item }
}

/** Only the name of a key can change: its rights and its life are fixed when it is made. */
export async function renameKey(ctx: Context, { id, name }: { id: string; name: string }): Promise<ApiKey> {
  const was = await findKey(ctx, id)
  const writes = changed(ctx, [
    {
      action: 'api_key.updated',
      artifact: 'identity.api_key.updated',
      subject: { type: 'api_key', id, name },
      data: { changed_fields: ['name'] },
      changes: [{ path: 'name', before: was.name, after: name }],
    },
  ])
  await ctx.table.commit(
    [apiKeys.update(was, { set: { name }, condition: { expression: 'attribute_exists(pk)' } }), ...writes],
    id,
  )
  return { ...was, name }
}
