import * as z from 'zod'
import { tagged } from '../../shared/base/wire/etag.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { setTargets } from '../../shared/operate/metrics/set-targets.ts'
import { Targets, targetsView, TargetsView, versionOf } from '../../shared/operate/metrics/targets.ts'
import { metrics } from './routes.ts'

export const shapes = {
  /** Whole: what is left out has no target any more. */
  body: z.strictObject({
    targets: Targets.describe('The whole list of targets.'),
    version: optional(z.int().positive()).describe(
      'The version, which grows with each change. Send it as `If-Match` with the next change.',
    ),
  }),
  response: TargetsView,
  versioned: true,
}

export const handler = endpoint(metrics.setTargets, shapes, async ({ body, version, ctx }) => {
  const stored = await setTargets(ctx, body.targets, version)
  return tagged(targetsView(stored), versionOf(stored))
})
