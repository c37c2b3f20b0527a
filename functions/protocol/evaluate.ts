import { Forecast, forecast } from '../../shared/govern/protocol/forecast.ts'
import { loadInputs } from '../../shared/govern/executions/inputs.ts'
import { ExecuteBody } from '../../shared/govern/executions/request.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { protocol } from './routes.ts'

export const shapes = { body: ExecuteBody, response: Forecast }

/** Decides like execute and leaves no trace. */
export const handler = endpoint(
  protocol.evaluate,
  shapes,
  ({ body, ctx, governance }) => forecast(ctx, governance, body),
  { govern: loadInputs },
)
