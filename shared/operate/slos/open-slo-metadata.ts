// The metadata of OpenSLO documents: kept as they come, so that a document comes back with its own names, labels and annotations.
import * as z from 'zod'

/** RFC 1123. */
export const Name = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be a name of RFC 1123: lower case letters, digits and hyphens.')

/** A member of our own that the format has no place for is an annotation, which other tools keep and do not read. */
export const MIN_EVENTS = 'countersign/min-events'
const PAGE = 'countersign/alerting-page'
const TICKET = 'countersign/alerting-ticket'
const OWN: readonly string[] = [MIN_EVENTS, PAGE, TICKET]

const ENTRIES_MAX = 50
const Key = z.string().min(1).max(253)
/** Our own are not counted, so that what we add to a document does not make it too long. */
const few = (of: object): boolean => Object.keys(of).filter((key) => !OWN.includes(key)).length <= ENTRIES_MAX
const FEW = `must have at most ${ENTRIES_MAX} entries.`

/** A label has one value or several. */
export const Label = z
  .record(Key, z.union([z.string().max(253), z.array(z.string().max(253)).max(20)]))
  .refine(few, FEW)

const flag = (text: string | undefined): boolean => text === undefined || text === 'true' || text === 'false'

export const Annotations = z
  .record(Key, z.string().max(1_000))
  .refine(few, FEW)
  .superRefine((of, issues) => {
    const refuse = (key: string, message: string) => issues.addIssue({ code: 'custom', path: [key], message })
    for (const key of Object.keys(of).filter((one) => one.startsWith('countersign/') && !OWN.includes(one)))
      refuse(key, `is not one of ${OWN.join(', ')}.`)
    for (const key of [PAGE, TICKET]) if (!flag(of[key])) refuse(key, 'must be true or false.')
    if (!/^[0-9]{1,7}$/.test(of[MIN_EVENTS] ?? '1')) refuse(MIN_EVENTS, 'must be a whole number.')
  })
type Annotations = z.output<typeof Annotations>

export const Indicator = z.strictObject({
  name: Name.describe('The name of the indicator.'),
  displayName: z.string().max(100).optional().describe('The name that people read.'),
  labels: Label.optional().describe('Labels, kept as they are.'),
  annotations: z
    .record(Key, z.string().max(1_000))
    .refine(few, FEW)
    .optional()
    .describe('Annotations, kept as they are.'),
})

/** What an OpenSLO document says beside the members of an objective. */
export const OpenSloKept = z.object({
  name: z.string().describe('The name of the document.'),
  labels: z
    .record(z.string(), z.union([z.string(), z.array(z.string())]))
    .optional()
    .describe('The labels of the document.'),
  annotations: z.record(z.string(), z.string()).optional().describe('The annotations of the document.'),
  service: z.string().describe('The service that the document is about.'),
  indicator: z
    .object({
      name: z.string().describe('The name of the indicator.'),
      displayName: z.string().optional().describe('The name that people read.'),
      labels: z
        .record(z.string(), z.union([z.string(), z.array(z.string())]))
        .optional()
        .describe('The labels of the indicator.'),
      annotations: z.record(z.string(), z.string()).optional().describe('The annotations of the indicator.'),
    })
    .describe('The metadata of the indicator.'),
  objective: z.string().optional().describe('The display name of the target.'),
})
export type OpenSloKept = z.output<typeof OpenSloKept>

/** How the objective is kept, as the annotations of a document say; absent members have the defaults of an objective. */
export function readPractice(of: Annotations = {}) {
  const { [MIN_EVENTS]: least, [PAGE]: page, [TICKET]: ticket } = of
  return {
    ...(least !== undefined && { min_events: Number(least) }),
    ...((page ?? ticket) !== undefined && { alerting: { page: page !== 'false', ticket: ticket !== 'false' } }),
  }
}

type Practice = {
  min_events: number
  alerting: { page: boolean; ticket: boolean }
  open_slo?: OpenSloKept | undefined
}

/** The annotations of the document of an objective. Those of our own say what is not the default. Undefined when there are none. */
export function toAnnotations({ min_events, alerting, open_slo }: Practice): Annotations | undefined {
  const kept = Object.entries(open_slo?.annotations ?? {}).filter(([key]) => !OWN.includes(key))
  const all = {
    ...Object.fromEntries(kept),
    ...(min_events !== 100 && { [MIN_EVENTS]: String(min_events) }),
    ...(!alerting.page && { [PAGE]: 'false' }),
    ...(!alerting.ticket && { [TICKET]: 'false' }),
  }
  return Object.keys(all).length > 0 ? all : undefined
}
