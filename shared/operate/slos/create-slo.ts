import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import { create } from '../definitions/definitions.ts'
import type { Defined } from '../definitions/definition.ts'
import { fromOpenSlo, type OpenSlo } from './open-slo.ts'
import { SloInput } from './slo-fields.ts'
import { type Slo, SLOS } from './slo.ts'

/** Throws 409 when the tenant has as many as it may have, and 422 for a document that names what cannot be counted. */
export async function createSlo(ctx: Context, body: SloInput | OpenSlo): Promise<Defined<Slo>> {
  const input = 'apiVersion' in body ? read(body) : body
  const now = iso(ctx.now())
  return create(ctx, SLOS, {
    ...ctx.space,
    id: ctx.id('slo'),
    ...input,
    created_at: now,
    updated_at: now,
    created_by: { type: ctx.principal.kind, id: ctx.principal.id },
  })
}

/** Where an OpenSLO document says what the indicator is. */
const INDICATOR = ['body', 'spec', 'indicator', 'spec', 'ratioMetric', 'good', 'metricSource', 'spec']

function read(document: OpenSlo): SloInput {
  const { data, error } = SloInput.safeParse(fromOpenSlo(document))
  if (data) return data
  const violations = error.issues.map(({ path, message }) => ({
    loc: [...INDICATOR, ...path.slice(1).map(String)],
    msg: message,
    type: 'value_error' as const,
  }))
  throw new Failure('invalid', violations)
}
