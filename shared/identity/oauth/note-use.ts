// Notes on a grant that tokens were issued under it, so that people see which applications they still use. An access token
// lives a quarter of an hour, so the note is that exact, and no request with a token writes.
import type { RequestContext } from 'oidc-provider'
import { openTable } from '../../base/context.ts'
import { alarm } from '../../base/lib/log.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { artefacts, named } from '../artefacts/artefact.ts'

export async function noteUse(ctx: RequestContext, next: () => Promise<void>): Promise<void> {
  await next()
  const id = ctx.path === '/oauth/token' && ctx.status === 200 ? ctx.oidc.entities.Grant?.jti : undefined
  if (id === undefined) return
  const table = openTable()
  const last_used_at = Math.floor(table.clock.now() / 1_000)
  const condition = { expression: 'attribute_exists(pk)' }
  try {
    await table.commit([artefacts.update(named('Grant', id), { set: { last_used_at }, condition })])
  } catch (error) {
    // The old refresh token is used up, so the client must get its new one whatever becomes of the note.
    if (!(error instanceof ConditionFailed)) alarm('oauth_failed', error)
  }
}
