import { getArtifact } from '../../shared/evidence/latest.ts'
import { ArtifactDetail } from '../../shared/evidence/view.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { evidence } from './routes.ts'

export const shapes = { reply: ArtifactDetail }

export const handler = endpoint(evidence.get, shapes, ({ params, ctx }) => getArtifact(ctx, params.id))
