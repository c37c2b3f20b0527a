import * as z from 'zod'
import { httpResponse, unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { configureKey } from '../../shared/identity/kms/configure.ts'
import { KmsView, kmsView } from '../../shared/identity/kms/view.ts'
import { kms } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    key_arn: z.string().max(256).nullable().describe('ARN of the KMS key. Null: the key of the service.'),
  }),
  response: KmsView,
}

export const handler = endpoint(kms.configure, shapes, async ({ body, ctx }) => {
  const { settings, repeated } = await configureKey(ctx, body.key_arn)
  const view = kmsView(ctx.space.tenant_id, settings)
  return repeated ? unchanged(view) : httpResponse(200, view)
})
