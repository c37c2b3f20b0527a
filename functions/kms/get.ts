import { endpoint } from '../../shared/edge/endpoint.ts'
import { kmsSettings } from '../../shared/ledger/sealing/settings.ts'
import { KmsView, viewOf } from '../../shared/identity/kms/view.ts'
import { kms } from './routes.ts'

export const shapes = { reply: KmsView }

export const handler = endpoint(kms.get, shapes, async ({ ctx }) => {
  const { tenant_id } = ctx.space
  return viewOf(tenant_id, await ctx.table.get(kmsSettings, { tenant_id }))
})
