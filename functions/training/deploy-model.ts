import '../effects.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import {
  DeployBody,
  deploymentResponse,
  DeploymentView,
  requestDeployment,
} from '../../shared/learn/models/request-deployment.ts'
import { training } from './routes.ts'

export const shapes = { body: DeployBody, response: DeploymentView }

export const handler = endpoint(training.deployModel, shapes, async ({ params: { model_id }, body, ctx }) =>
  deploymentResponse(model_id, await requestDeployment(ctx, model_id, body), 'deploying'),
)
