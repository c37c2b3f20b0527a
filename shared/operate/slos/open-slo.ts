// OpenSLO v1 documents (https://openslo.com, `kind: SLO`), in and out. What the format can say and the service cannot keep is
// refused by name, never dropped.
import * as z from 'zod'
import { eitherOf } from '../../base/wire/fields.ts'
import { INDICATORS, type Slo, SloInput, SLOS } from './slo.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import { create } from '../definitions/definitions.ts'
import type { Defined } from '../definitions/definition.ts'

const SOURCE = 'countersign'

/** RFC 1123. */
const Name = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be a name of RFC 1123: lower case letters, digits and hyphens.')

const DURATIONS = {
  '1d': 'rolling-1d',
  '7d': 'rolling-7d',
  '1w': 'rolling-7d',
  '28d': 'rolling-28d',
  '4w': 'rolling-28d',
  '30d': 'rolling-30d',
  '90d': 'rolling-90d',
} as const

const Spec = z.strictObject({
  metric: z.enum(INDICATORS).describe('The indicator; `custom` is a series that you push yourself.'),
  name: z.string().optional().describe('A name for people.'),
  filter: z.record(z.string(), z.string()).optional().describe('Only events with these values are counted.'),
  threshold_ms: z.int().optional().describe('A decision is good when it took less than this.'),
})

const Source = z.strictObject({
  metricSource: z
    .strictObject({
      type: z.literal(SOURCE).describe('Always `countersign`.'),
      spec: Spec.describe('The indicator and its parameters.'),
    })
    .describe('Where it is counted.'),
})

const share = z.number().min(0).lt(1)
const percent = z.number().min(0).lt(100)

export const OpenSlo = z
  .strictObject({
    apiVersion: z.literal('openslo/v1').describe('Version of the OpenSLO format.'),
    kind: z.literal('SLO').describe('Kind of the OpenSLO document.'),
    metadata: z
      .strictObject({
        name: Name.describe('A name for people.'),
        displayName: z.string().max(100).optional().describe('The name that people read.'),
      })
      .describe('Values that you choose.'),
    spec: z
      .strictObject({
        description: z.string().max(1_050).optional().describe('A description for people.'),
        service: z.string().max(100).describe('The service that it is about.'),
        indicator: z
          .strictObject({
            metadata: z
              .strictObject({
                name: Name.describe('A name for people.'),
                displayName: z.string().optional().describe('The name that people read.'),
              })
              .describe('Values that you choose.'),
            spec: z
              .strictObject({
                ratioMetric: z
                  .strictObject({
                    counter: z.literal(true).describe('Both are counters.'),
                    good: Source.describe('What is counted as good.'),
                    total: Source.describe('The total number of items.'),
                  })
                  .describe('Good events by all events.'),
              })
              .describe('The ratio.'),
          })
          .describe('What is measured.'),
        timeWindow: z
          .array(
            z.strictObject({
              duration: z.enum(Object.keys(DURATIONS) as (keyof typeof DURATIONS)[]).describe('Length of the window.'),
              isRolling: z.literal(true).describe('Always a rolling window.'),
            }),
          )
          .length(1)
          .describe('The window, exactly one.'),
        budgetingMethod: z.literal('Occurrences').describe('Events are counted, not time slices.'),
        objectives: z
          .array(
            z
              .strictObject({
                displayName: z.string().optional().describe('The name that people read.'),
                target: share.optional().describe('The share of good events that is aimed at.'),
                targetPercent: percent.optional().describe('The target in percent.'),
              })
              .refine(
                ({ target, targetPercent }) => (target === undefined) !== (targetPercent === undefined),
                'must have either target or targetPercent.',
              )
              .meta(eitherOf('target', 'targetPercent')),
          )
          .length(1)
          .describe('The target, exactly one.'),
      })
      .describe('The objective.'),
  })
  .superRefine(({ spec }, issues) => {
    const { good, total } = spec.indicator.spec.ratioMetric
    if (JSON.stringify(good) !== JSON.stringify(total)) {
      const path = ['spec', 'indicator', 'spec', 'ratioMetric', 'total']
      issues.addIssue({
        code: 'custom',
        path,
        message: 'must name the same metric as good: the service counts both sides of it.',
      })
    }
  })
export type OpenSlo = z.output<typeof OpenSlo>

/** The same objective in our own members, still to be checked like any other. */
function fromOpenSlo({ metadata, spec }: OpenSlo): z.input<typeof SloInput> {
  const [objective] = spec.objectives
  const { target, targetPercent } = objective ?? {}
  const [{ duration } = { duration: '28d' as const }] = spec.timeWindow
  return {
    name: metadata.displayName ?? metadata.name,
    description: spec.description,
    sli: spec.indicator.spec.ratioMetric.good.metricSource.spec, // checked as ours next
    target_percent: targetPercent ?? Math.round((target ?? 0) * 100_000_000) / 1_000_000,
    measurement_window: DURATIONS[duration],
  }
}

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63)
    .replace(/-+$/, '') || 'slo'

export function toOpenSlo({
  name,
  description,
  sli,
  target_percent,
  measurement_window,
}: Slo): z.input<typeof OpenSlo> {
  const { filter, ...rest } = sli
  const given = Object.entries(filter ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const spec = { ...rest, ...(filter && { filter: Object.fromEntries(given) }) }
  const source = { metricSource: { type: SOURCE, spec } } as const
  return {
    apiVersion: 'openslo/v1',
    kind: 'SLO',
    metadata: { name: slug(name), displayName: name },
    spec: {
      ...(description !== undefined && { description }),
      service: SOURCE,
      indicator: {
        metadata: { name: `${slug(name).slice(0, 58)}-sli` },
        spec: { ratioMetric: { counter: true, good: source, total: source } },
      },
      timeWindow: [{ duration: measurement_window.slice('rolling-'.length) as '1d', isRolling: true }],
      budgetingMethod: 'Occurrences',
      objectives: [{ displayName: name, targetPercent: target_percent }],
    },
  }
}

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

/** The place of the indicator in an OpenSLO document. */
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
