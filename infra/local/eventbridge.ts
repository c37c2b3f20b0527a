// Stand-in for EventBridge: matches events with the rules of the topology and sends them to queues and state machines. An
// accepted event is in its queue before the answer is sent. Entries fail one by one, as in AWS.
import { randomUUID } from 'node:crypto'
import { AwsError } from './aws-error.ts'
import type { Actions } from './aws-server.ts'
import type { Clock } from './clock.ts'

export const BUS_NAME = 'countersign'

export type Rule = {
  source: string
  detailType?: string
  target: { queue: string } | { stateMachine: string; inputPath: string }
}

export type Targets = {
  queue: (name: string, body: string) => void
  stateMachine: (name: string, input: unknown) => void
}

type Entry = { Source?: string; DetailType?: string; Detail?: string; EventBusName?: string; Time?: number }
type Failed = { ErrorCode: string; ErrorMessage: string }

const ENTRIES_MAX = 10
const REQUEST_BYTES_MAX = 262_144

export function createEventBus(rules: Record<string, Rule>, targets: Targets, clock: Clock): Actions {
  const accept = (entry: Entry) => {
    const event = envelope(entry, clock.now())
    if ('ErrorCode' in event) return event
    for (const rule of Object.values(rules)) if (matches(rule, event)) deliver(rule, event, targets)
    return { EventId: event.id }
  }
  return {
    'AWSEvents.PutEvents': ({ Entries }: { Entries: Entry[] }) => {
      const bytes = Entries.reduce((sum, entry) => sum + Buffer.byteLength(JSON.stringify(entry)), 0)
      if (Entries.length > ENTRIES_MAX || bytes > REQUEST_BYTES_MAX) {
        throw new AwsError(
          'ValidationException',
          'Total size or number of the entries in the request is over the limit.',
        )
      }
      for (const { EventBusName } of Entries) mustKnowBus(EventBusName ?? 'default')
      const results = Entries.map(accept)
      return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results }
    },
    'AWSEvents.DescribeEventBus': ({ Name = 'default' }: { Name?: string }) => {
      mustKnowBus(Name)
      return { Name, Arn: `arn:aws:events:us-east-1:000000000000:event-bus/${Name}` }
    },
  }
}

function mustKnowBus(name: string): void {
  if (name !== BUS_NAME) throw new AwsError('ResourceNotFoundException', `Event bus ${name} does not exist.`)
}

function envelope({ Source, DetailType, Detail, Time }: Entry, now: number) {
  if (!Source) return refused('InvalidArgument', 'Parameter Source is not valid.')
  if (!DetailType) return refused('InvalidArgument', 'Parameter DetailType is not valid.')
  const detail = parseObject(Detail ?? '')
  if (!detail) return refused('MalformedDetail', 'Detail is malformed.')
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': DetailType,
    source: Source,
    account: '000000000000',
    time: new Date(Time ? Time * 1_000 : now).toISOString(),
    region: 'us-east-1',
    resources: [],
    detail,
  }
}

type Event = Exclude<ReturnType<typeof envelope>, Failed>

const refused = (ErrorCode: string, ErrorMessage: string): Failed => ({ ErrorCode, ErrorMessage })

const matches = (rule: Rule, event: Event) =>
  rule.source === event.source && (rule.detailType === undefined || rule.detailType === event['detail-type'])

function deliver({ target }: Rule, event: Event, targets: Targets): void {
  if ('queue' in target) targets.queue(target.queue, JSON.stringify(event))
  else targets.stateMachine(target.stateMachine, select(event, target.inputPath))
}

/** The part of an event at a JSON path of plain members (`$.detail`). */
const select = (event: object, path: string): unknown =>
  path
    .split('.')
    .slice(1)
    .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], event)

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
