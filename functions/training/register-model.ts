import { endpoint } from '../../shared/edge/endpoint.ts'
import { ModelView, modelView } from '../../shared/learn/models/model-view.ts'
import { ModelBody, registerExternal } from '../../shared/learn/models/register-model.ts'
import { training } from './routes.ts'

export const shapes = { body: ModelBody, response: ModelView }

export const handler = endpoint(training.registerModel, shapes, async ({ body, ctx }) =>
  modelView(await registerExternal(ctx, body)),
)
