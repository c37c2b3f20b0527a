import { getArtifact } from '../../shared/govern/completeness/latest.ts'
import { ArtifactDetail } from '../../shared/ledger/evidence/artifact/view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { evidence } from './routes.ts'

export const shapes = { response: ArtifactDetail }

export const handler = endpoint(evidence.get, shapes, ({ params, ctx }) => getArtifact(ctx, params.id))
