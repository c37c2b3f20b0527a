import '../effects.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { deploymentResponse, DeploymentView } from '../../shared/learn/models/request-deployment.ts'
import { requestRollback, RollbackBody } from '../../shared/learn/models/request-rollback.ts'
import { training } from './routes.ts'

export const shapes = { body: RollbackBody, response: DeploymentView }

export const handler = endpoint(training.rollbackModel, shapes, async ({ params: { model_id }, body, ctx }) =>
  deploymentResponse(model_id, await requestRollback(ctx, model_id, body), 'rolled_back'),
)
