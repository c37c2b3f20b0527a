import { Posture } from '../../shared/assure/frameworks/posture-view.ts'
import { readPosture } from '../../shared/assure/frameworks/read-posture.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { response: Posture }

export const handler = endpoint(compliance.posture, shapes, ({ ctx }) => readPosture(ctx))
