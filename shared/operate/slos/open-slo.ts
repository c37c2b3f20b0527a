// OpenSLO v1 documents (https://openslo.com, `kind: SLO`), in and out. What the format can say and the service cannot keep is
// refused by name, never dropped.
import * as z from 'zod'
import { eitherOf } from '../../base/wire/fields.ts'
import { INDICATORS, type Slo, SloInput, SLOS } from './slo.ts'
import {
  Annotations,
  Indicator,
  Label,
  MIN_EVENTS,
  Name,
  type OpenSloKept,
  readPractice,
  toAnnotations,
} from './open-slo-metadata.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import { create } from '../definitions/definitions.ts'
import type { Defined } from '../definitions/definition.ts'

const SOURCE = 'countersign'

const DURATIONS = {
  '1d': 'rolling-1d',
  '24h': 'rolling-1d',
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
        name: Name.describe('The name of the document.'),
        displayName: z.string().max(100).optional().describe('The name that people read.'),
        labels: Label.optional().describe('Labels, kept as they are.'),
        annotations: Annotations.optional().describe(
          'Annotations, kept as they are. Those that begin with `countersign/` are members of the objective.',
        ),
      })
      .describe('Values that you choose.'),
    spec: z
      .strictObject({
        description: z.string().max(1_050).optional().describe('A description for people.'),
        service: z.string().max(100).describe('The service that it is about.'),
        indicator: z
          .strictObject({
            metadata: Indicator.describe('Values that you choose.'),
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
                displayName: z.string().max(100).optional().describe('The name that people read.'),
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
    if (canonicalJson(good) !== canonicalJson(total)) {
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
    ...readPractice(metadata.annotations),
  }
}

/** What the document says beside that, so that it comes back. */
const keptOf = ({ metadata, spec }: OpenSlo): OpenSloKept => ({
  name: metadata.name,
  ...(metadata.labels && { labels: metadata.labels }),
  ...(metadata.annotations && { annotations: metadata.annotations }),
  service: spec.service,
  indicator: spec.indicator.metadata,
  ...(spec.objectives[0]?.displayName !== undefined && { objective: spec.objectives[0].displayName }),
})

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63)
    .replace(/-+$/, '') || 'slo'

/** The document of an objective, which `createSlo` takes back. Its own members win over what an earlier document said of them. */
export function toOpenSlo(slo: Slo): z.input<typeof OpenSlo> {
  const { name, description, target_percent, measurement_window, open_slo } = slo
  const source = sourceOf(slo)
  const annotations = toAnnotations(slo)
  return {
    apiVersion: 'openslo/v1',
    kind: 'SLO',
    metadata: {
      name: open_slo?.name ?? slug(name),
      displayName: name,
      ...(open_slo?.labels && { labels: open_slo.labels }),
      ...(annotations && { annotations }),
    },
    spec: {
      ...(description !== undefined && { description }),
      service: open_slo?.service ?? SOURCE,
      indicator: {
        metadata: open_slo?.indicator ?? { name: `${slug(name).slice(0, 58).replace(/-+$/, '')}-sli` },
        spec: { ratioMetric: { counter: true, good: source, total: source } },
      },
      timeWindow: [{ duration: measurement_window.slice('rolling-'.length) as '1d', isRolling: true }],
      budgetingMethod: 'Occurrences',
      objectives: [{ displayName: open_slo?.objective ?? name, targetPercent: target_percent }],
    },
  }
}

function sourceOf({ sli: { filter, ...rest } }: Slo) {
  const given = Object.entries(filter ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const spec = { ...rest, ...(filter && { filter: Object.fromEntries(given) }) }
  return { metricSource: { type: SOURCE, spec } } as const
}

/** Throws 409 when the tenant has as many as it may have, and 422 for a document that names what cannot be counted. */
export async function createSlo(ctx: Context, body: SloInput | OpenSlo): Promise<Defined<Slo>> {
  const input = 'apiVersion' in body ? read(body) : body
  const now = iso(ctx.now())
  return create(ctx, SLOS, {
    ...ctx.space,
    id: ctx.id('slo'),
    ...input,
    ...('apiVersion' in body && { open_slo: keptOf(body) }),
    created_at: now,
    updated_at: now,
    created_by: { type: ctx.principal.kind, id: ctx.principal.id },
  })
}

const INDICATOR = ['spec', 'indicator', 'spec', 'ratioMetric', 'good', 'metricSource', 'spec']

/** Where an OpenSLO document says what a member of ours says. */
const PLACES: Record<string, readonly string[]> = {
  name: ['metadata', 'displayName'],
  description: ['spec', 'description'],
  sli: INDICATOR,
  target_percent: ['spec', 'objectives'],
  measurement_window: ['spec', 'timeWindow'],
  min_events: ['metadata', 'annotations', MIN_EVENTS],
}

function read(document: OpenSlo): SloInput {
  const { data, error } = SloInput.safeParse(fromOpenSlo(document))
  if (data) return data
  const violations = error.issues.map(({ path: [member = '', ...rest], message }) => ({
    loc: ['body', ...(PLACES[String(member)] ?? [String(member)]), ...rest.map(String)],
    msg: message,
    type: 'value_error' as const,
  }))
  throw new Failure('invalid', violations)
}
