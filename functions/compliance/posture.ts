import { Posture } from '../../shared/assure/frameworks/control-view.ts'
import { readPosture } from '../../shared/assure/frameworks/framework-view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { response: Posture }

export const handler = endpoint(compliance.posture, shapes, ({ ctx }) => readPosture(ctx))
