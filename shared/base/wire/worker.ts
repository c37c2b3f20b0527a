// Rows of functions that a stream, queue, schedule or state machine calls. Data only, like route.ts.
import type { ArtifactType } from '../catalog/artifact-types.ts'
import type { Use } from './route.ts'
import type { QueueName } from '../catalog/queues.ts'

export type Trigger =
  /** INSERTs of items whose `_type` is the given one, from the table's stream. */
  | { stream: 'OUTBOX' | 'POINTER'; batchSize: number; windowSeconds: number }
  /** `lateAfterMinutes`: a message that waits longer raises an alarm. */
  | { queue: QueueName; batchSize: number; maxConcurrency?: number; lateAfterMinutes?: number }
  | { schedule: 'rate(1 minute)' }
  /** Called by the operator with the operator's own rights. */
  | { operator: true }
  /** A trigger of the user pool. */
  | { cognito: 'preTokenGeneration' | 'defineAuthChallenge' | 'createAuthChallenge' | 'verifyAuthChallengeResponse' }
  /** Asked by API Gateway before it calls the function of a route with this `audience`. */
  | { authorizes: 'mcp' }
  /** A task of the delivery state machine, named like its substitution in the definition. */
  | { task: 'RetryWebhookArn' | 'FailWebhookArn' }

export type WorkerOptions = {
  trigger: Trigger
  uses: readonly Use[]
  evidence: ArtifactType | readonly ArtifactType[] | { none: string }
  timeoutSeconds: number
  memoryMb?: number
  /** Size of its temporary folder, 512 MB by default. */
  ephemeralStorageMb?: number
  /** What users notice when this function stops; the text of its alarm. */
  impact: string
  /** A log line that raises an alarm of its own, by its `event`. */
  watches?: { event: string; impact: string }
}

export type Worker = WorkerOptions & { area: 'workers'; operation: string; id: string }

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Names the workers: `relayEvents` becomes id `workers-relay-events` and the file `functions/workers/relay-events.ts`. */
export function workers<const R extends Record<string, WorkerOptions>>(rows: R): { [K in keyof R]: Worker } {
  const named = Object.entries(rows).map(([key, options]) => {
    const operation = kebab(key)
    return [key, { ...options, area: 'workers', operation, id: `workers-${operation}` }]
  })
  return Object.fromEntries(named)
}
