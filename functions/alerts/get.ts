import { endpoint } from '../../shared/edge/endpoint.ts'
import { AlertView } from '../../shared/operate/alerts/alert.ts'
import { findAlert } from '../../shared/operate/alerts/move-alert.ts'
import { alerts } from './routes.ts'

export const shapes = { response: AlertView }

export const handler = endpoint(alerts.get, shapes, ({ params, ctx }) => findAlert(ctx, params.id))
