import { endpoint } from '../../shared/edge/endpoint.ts'
import { kmsSettings } from '../../shared/ledger/sealing/wrapped-key.ts'
import { KmsView, kmsView } from '../../shared/identity/kms/view.ts'
import { kms } from './routes.ts'

export const shapes = { response: KmsView }

export const handler = endpoint(kms.get, shapes, async ({ ctx }) => {
  const { tenant_id } = ctx.space
  return kmsView(tenant_id, await ctx.table.get(kmsSettings, { tenant_id }))
})
