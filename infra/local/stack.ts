// The whole service on one machine: starts the stand-ins, gives the functions their environment and connects what AWS
// would connect. Nothing runs by itself until `run`; tests call `drain` instead and so decide when things happen.
import { RETRY_BASE_SECONDS } from '../../shared/webhooks/schedule.ts'
import { SURFACE } from '../surface.ts'
import { QUEUES, RULES, webhookRetries } from '../topology.ts'
import { type Actions, listen } from './aws-server.ts'
import type { Clock } from './clock.ts'
import { type Disk, openDisk } from './disk.ts'
import { startDynamodb } from './dynamodb.ts'
import { createEventBus } from './eventbridge.ts'
import { openGateway } from './gateway.ts'
import { createKms, type Kms } from './kms.ts'
import { functionHost, type Invoke } from './lambda.ts'
import { applyEnvironment, localPlatform } from './local-platform.ts'
import { createS3 } from './s3.ts'
import { createSecrets } from './secrets.ts'
import { createQueues, type Queues } from './sqs.ts'
import { createStateMachine, type Executions } from './stepfunctions.ts'
import { createTables } from './tables.ts'
import { connectWorkers, type Workers } from './workers.ts'

export type StackOptions = {
  directory: string
  /** 0 takes a free one. */
  apiPort: number
  appPort: number
  /** Divides the waits between webhook retries; a base of less than a second is not possible. */
  speed: number
  clock: Clock
  /** Takes the place of the state machine's own waits; given seconds. */
  wait?: (seconds: number) => Promise<void>
  onError: (error: unknown) => void
}

export type Stack = {
  apiUrl: string
  appUrl: string
  disk: Disk
  kms: Kms
  queues: Queues
  invoke: Invoke
  executions: Executions
  workers: Workers
  /** Resolves when the database ends without having been told to. */
  died: Promise<void>
  stop: () => Promise<void>
}

/** Rejects with `DirectoryInUse`, or EADDRINUSE for a port, and leaves nothing behind then. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const closers: (() => unknown)[] = []
  const stop = async () => {
    for (const close of closers.splice(0).toReversed()) await close()
  }
  try {
    return { ...(await assemble(options, (close) => closers.push(close))), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type OnStop = (close: () => unknown) => void

async function assemble(options: StackOptions, onStop: OnStop): Promise<Omit<Stack, 'stop'>> {
  const { directory, clock, onError } = options
  const disk = openDisk(directory)
  onStop(disk.close)
  const opening = [
    startDynamodb(directory),
    listen(),
    openGateway(options.apiPort),
    openGateway(options.appPort),
  ] as const
  const [dynamodb, aws, api, app] = await openAll(opening)
  onStop(dynamodb.close)
  onStop(aws.close)
  const gateways = { api, app }
  onStop(() => Promise.all([api.close(), app.close()]))
  const streamArn = await createTables(dynamodb.endpoint)

  const kms = createKms(disk)
  const queues = createQueues(disk.db, QUEUES, aws.url, clock)
  const urls = { apiUrl: api.url, appUrl: app.url }
  const platform = localPlatform({ kms, queues, streamArn, ...urls })
  applyEnvironment(platform, { dynamodb: dynamodb.endpoint, aws: aws.url })

  const doorbell = { ring: () => {} }
  const invoke = functionHost(clock, () => doorbell.ring())
  const executions = retryMachine(options, invoke)
  onStop(executions.stop)
  const { workers: rows, routes } = SURFACE
  const source = { dynamodbUrl: dynamodb.endpoint, streamArn, db: disk.db, queues }
  const workers = connectWorkers({ rows, ...source, invoke, clock, onError })
  doorbell.ring = workers.ring
  onStop(workers.stop)

  const bus = createEventBus(RULES, { queue: queues.send, stateMachine: (_, input) => executions.start(input) }, clock)
  const actions: Actions = { ...queues.actions, ...kms.actions, ...createSecrets(disk), ...bus }
  aws.serve(actions, createS3(disk.db, [platform.buckets.evidence.name], clock.now))
  for (const host of ['api', 'app'] as const) {
    const served = routes.filter((route) => route.host === host || route.host === 'both')
    gateways[host].serve({ routes: served, invoke, clock, onError })
  }
  return { ...urls, disk, kms, queues, invoke, executions, workers, died: dynamodb.died }
}

/** All or none: what did open is closed again when another fails. They open at once: waiting for it is most of a start. */
async function openAll<const T extends readonly Promise<{ close: () => Promise<void> }>[]>(opening: T) {
  const settled = await Promise.allSettled(opening)
  const failed = settled.find((one) => one.status === 'rejected')
  if (!failed) return Promise.all(opening)
  for (const one of settled) if (one.status === 'fulfilled') await one.value.close()
  throw failed.reason
}

function retryMachine({ speed, wait, onError }: StackOptions, invoke: Invoke): Executions {
  return createStateMachine({
    name: 'webhook-retries',
    definition: webhookRetries(Math.max(1, Math.round(RETRY_BASE_SECONDS / speed))),
    wait,
    onFailure: onError,
    invoke: async (placeholder, payload) => {
      const row = SURFACE.workers.find(({ trigger }) => 'task' in trigger && trigger.task === placeholder)
      if (!row) throw new Error(`no worker for the task ${placeholder}`)
      return invoke(row, payload)
    },
  })
}
