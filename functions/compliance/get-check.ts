import { CheckDetail, readCheck } from '../../shared/assure/checks/read-checks.ts'
import { windowOf, WindowQuery } from '../../shared/assure/exports/window.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { query: WindowQuery, response: CheckDetail }

export const handler = endpoint(compliance.getCheck, shapes, ({ params, query, ctx }) => {
  const window = windowOf(query, ctx.now())
  return readCheck(ctx, params.check_id, window)
})
