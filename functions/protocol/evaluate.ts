import { Forecast, forecast } from '../../shared/executions/forecast.ts'
import { loadInputs } from '../../shared/executions/inputs.ts'
import { ExecuteBody } from '../../shared/executions/request.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { protocol } from './routes.ts'

export const shapes = { body: ExecuteBody, reply: Forecast }

/** Decides like execute and leaves no trace. */
export const handler = endpoint(
  protocol.evaluate,
  shapes,
  ({ body, ctx, governance }) => forecast(ctx, governance, body),
  { govern: loadInputs },
)
