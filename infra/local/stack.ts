// The whole service on one machine: starts the stand-ins, sets the environment of the functions and connects them.
// Background work starts with `run`; tests call `drain` instead, so that they control when it happens.
import { join } from 'node:path'
import { RETRY_BASE_SECONDS } from '../../shared/deliver/webhooks/schedule.ts'
import { SURFACE } from '../surface.ts'
import { QUEUES, RULES, webhookRetries } from '../topology.ts'
import type { writeAsset } from '../bundle/assets.ts'
import { type Assets, assetsFor, localAssets } from './assets.ts'
import { type Actions, type AwsServer, listen } from './aws-server.ts'
import type { Clock } from './clock.ts'
import { type ConnectProvider, startConnectProvider } from './connect/provider.ts'
import { openCognito } from './cognito/cognito.ts'
import { type Disk, openDisk } from './disk.ts'
import { startDns } from './dns.ts'
import { type Dynamodb, startDynamodb } from './dynamodb.ts'
import { createEventBus } from './eventbridge.ts'
import { openGateway } from './gateway.ts'
import { createKms, type Kms } from './kms.ts'
import { functionHost, type Invoke } from './lambda.ts'
import { applyEnvironment, localPlatform } from './local-platform.ts'
import { createS3, type S3 } from './s3.ts'
import { createSecrets } from './secrets.ts'
import { createSes } from './ses.ts'
import { createQueues, type Queues } from './sqs.ts'
import { createStateMachine, type Executions } from './stepfunctions.ts'
import { streamHost } from './streaming.ts'
import { createTables } from './tables.ts'
import type { Turns } from './turns.ts'
import { connectWorkers, type Workers } from './connect-workers.ts'

export type StackOptions = {
  directory: string
  /** 0 takes a free one. */
  apiPort: number
  appPort: number
  providersPort?: number
  /** Divides the waits between webhook retries; a base of less than a second is not possible. */
  speed: number
  clock: Clock
  /** Replaces the waits of the state machine; receives seconds. */
  wait?: (seconds: number) => Promise<void>
  onError: (error: unknown) => void
  /** Limits concurrent requests; without it there is no limit. */
  turns?: Turns
  /** Replaces the function that creates the files beside the code of functions. */
  writeAsset?: typeof writeAsset
  /** Replaces the embedded server. */
  database?: (directory: string) => Promise<Dynamodb>
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
  /** Creates files beside the code of functions before the first call that reads them. */
  assets: Assets
  /** The stand-in for the providers of connectors. */
  connect: ConnectProvider
  /** The operator's secrets for providers, which tests change. */
  providers: Record<string, unknown>
  /** The stand-ins without a network. */
  aws: Pick<AwsServer, 'url' | 'answer'>
  /** Resolves when the database ends unexpectedly. */
  died: Promise<void>
  stop: () => Promise<void>
}

/** Rejects with `DirectoryInUse`, or EADDRINUSE for a port; then everything is closed again. */
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

/** Multiplies the time-out of functions, because a busy laptop is slower than AWS. */
const PATIENCE = 6

/** TXT records of the local name server, for a developer to edit. */
export const DNS_FILE = 'dns.json'

type OnStop = (close: () => unknown) => void

async function assemble(options: StackOptions, onStop: OnStop): Promise<Omit<Stack, 'stop'>> {
  const { clock, onError } = options
  const disk = openDisk(options.directory)
  onStop(disk.close)
  const { dynamodb, aws, cognito, dns, connect, gateways } = await openServers(options, disk, onStop)
  const streamArn = await createTables(dynamodb.call)

  const kms = createKms(disk)
  const queues = createQueues(disk.db, QUEUES, aws.url, clock)
  // Passkeys need a host name, not an IP address.
  const urls = { apiUrl: gateways.api.url, appUrl: gateways.app.url.replace('127.0.0.1', 'localhost') }
  const platform = localPlatform({ kms, cognito, queues, streamArn, dnsServers: dns.server, ...urls })
  applyEnvironment(platform, { dynamodb: dynamodb.endpoint, aws: aws.url })
  process.env.WEBHOOK_RETRY_BASE_SECONDS = String(retryBaseSeconds(options.speed))

  const onFunctionEnd = { wake: () => {} }
  const assets = localAssets(options.directory, options.writeAsset)
  const invoke = functionHost(clock, {
    before: assetsFor(assets),
    after: () => onFunctionEnd.wake(),
    patience: PATIENCE,
  })
  const stream = streamHost(clock)
  const executions = retryMachine(options, invoke)
  onStop(executions.stop)
  const source = { dynamodb: dynamodb.call, streamArn, db: disk.db, queues }
  const workers = connectWorkers({ rows: SURFACE.workers, ...source, invoke, clock, onError })
  onFunctionEnd.wake = workers.wake
  onStop(workers.stop)

  const providers = { connectors: connect.clients, stripe: connect.payments.account(connect.url) }
  connect.payments.deliverTo(`${gateways.api.url}/api/v1/billing/webhooks/stripe`)
  const targets = { queue: queues.send, stateMachine: (_: string, input: unknown) => executions.start(input) }
  const bus = createEventBus(RULES, targets, clock)
  const pool = cognito.actions(SURFACE.workers, invoke)
  const actions: Actions = {
    ...queues.actions,
    ...kms.actions,
    ...createSecrets(disk, providers),
    ...bus,
    ...pool,
  }
  const ses = createSes(options.directory, clock)
  const buckets = Object.values(platform.buckets).map(({ name }) => name)
  const s3 = createS3(disk.db, buckets, clock.now)
  const rest: S3 = (request, body) => ses(request, body) ?? s3(request, body)
  aws.serve(actions, rest)
  for (const host of ['api', 'app'] as const) {
    const routes = SURFACE.routes.filter((route) => route.host === host || route.host === 'both')
    gateways[host].serve({ routes, invoke, stream, clock, turns: options.turns, onError })
  }
  return {
    ...urls,
    disk,
    kms,
    queues,
    invoke,
    executions,
    workers,
    assets,
    connect,
    providers,
    aws,
    died: dynamodb.died,
  }
}

/** The gateways close first, so that running requests can use everything else. */
async function openServers(options: StackOptions, disk: Disk, onStop: OnStop) {
  const { directory, apiPort, appPort, providersPort = 0, clock, database = startDynamodb } = options
  const gates = [openGateway(apiPort), openGateway(appPort)] as const
  const dnsFile = join(directory, DNS_FILE)
  const opening = [
    database(directory),
    listen(),
    openCognito(disk, clock),
    startDns(dnsFile),
    startConnectProvider(disk, clock, providersPort),
    ...gates,
  ] as const
  const [dynamodb, aws, cognito, dns, connect, api, app] = await openAll(opening)
  onStop(dynamodb.close)
  onStop(aws.close)
  onStop(cognito.close)
  onStop(dns.close)
  onStop(connect.close)
  onStop(() => Promise.all([api.close(), app.close()]))
  return { dynamodb, aws, cognito, dns, connect, gateways: { api, app } }
}

type Closable = { close: () => Promise<void> }
type Opened<T> = { -readonly [K in keyof T]: Awaited<T[K]> }

/** Opens all in parallel, or none: when one fails, the others are closed again. */
async function openAll<const T extends readonly Promise<Closable>[]>(opening: T): Promise<Opened<T>> {
  const settled = await Promise.allSettled(opening)
  const failed = settled.find((one) => one.status === 'rejected')
  if (!failed) return Promise.all(opening)
  for (const one of settled) if (one.status === 'fulfilled') await one.value.close()
  throw failed.reason
}

/** Whole seconds, because the state machine cannot wait fractions. */
const retryBaseSeconds = (speed: number) => Math.max(1, Math.round(RETRY_BASE_SECONDS / speed))

function retryMachine({ speed, wait, onError }: StackOptions, invoke: Invoke): Executions {
  return createStateMachine({
    name: 'webhook-retries',
    definition: webhookRetries(retryBaseSeconds(speed)),
    wait,
    onFailure: onError,
    invoke: async (placeholder, payload) => {
      const row = SURFACE.workers.find(({ trigger }) => 'task' in trigger && trigger.task === placeholder)
      if (!row) throw new Error(`no worker for the task ${placeholder}`)
      return invoke(row, payload)
    },
  })
}
