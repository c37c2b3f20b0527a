import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { readTargets, targetsView, TargetsView, versionOf } from '../../shared/operate/metrics/targets.ts'
import { metrics } from './routes.ts'

export const shapes = { response: TargetsView, versioned: true }

export const handler = endpoint(metrics.getTargets, shapes, async ({ ctx }) => {
  const stored = await readTargets(ctx)
  return tagged(targetsView(stored), versionOf(stored))
})
