import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { apiKeys, type ApiKey } from './api-key.ts'
import { findKey } from './find-key.ts'

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
