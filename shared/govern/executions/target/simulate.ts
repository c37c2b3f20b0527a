// Test mode never calls a target: the outcome is the one that the manifest or the caller names.
import type { Context } from '../../../base/context.ts'
import type { JsonObject } from '../../../base/wire/parse-body.ts'
import type { LoadedAction } from '../../manifests/load.ts'
import { CALLS_MAX, type TargetOutcome } from '../call-target.ts'
import type { Sandbox } from '../execution.ts'

/** The outcome that a call would have had. `sandbox` is of the request, and only accepted in test mode. */
export async function simulate(
  ctx: Context,
  endpoint: LoadedAction['endpoint'],
  sandbox: Sandbox | undefined,
): Promise<TargetOutcome> {
  if (sandbox?.delay_ms) await ctx.clock.sleep(sandbox.delay_ms)
  if (sandbox?.outcome === 'failure') {
    const error = { code: 'target_status', http_status: 500, message: 'The target answered 500.' }
    return { status: 'failed', error, retries: 0 }
  }
  if (sandbox?.outcome === 'timeout') {
    const message = 'The target gave no usable answer; the outcome is not known.'
    const retries = endpoint.idempotency ? CALLS_MAX - 1 : 0
    return { status: 'outcome_unknown', error: { code: 'target_timeout', message }, retries }
  }
  const output = (endpoint.sandbox_response ?? {}) as JsonObject // its schema admits JSON only
  return { status: 'executed', output, retries: 0, ...(endpoint.undo && { created: true as const }) }
}
