// Stand-in for Step Functions: runs the state machine of the topology. Executions are in memory only. After a crash the
// sweeper continues them, because the state of a delivery is in the table.
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { StateMachine, StateMachineDefinition } from 'aws-local-stepfunctions'

type Json = Parameters<StateMachine['run']>[0]
type Definition = { States: Record<string, { Type: string }> }

export type StateMachineOptions = {
  name: string
  /** With `${…Arn}` placeholders for its functions. */
  definition: Definition
  /** Calls the function that a placeholder names. */
  invoke: (placeholder: string, payload: unknown) => Promise<unknown>
  /** Replaces Wait states, for tests with their own clock. Receives whole seconds. */
  wait?: ((seconds: number) => Promise<void>) | undefined
  onFailure: (error: unknown) => void
}

export type Executions = {
  start: (input: unknown) => void
  /** Resolves when every execution has ended or waits. Needs `wait`. */
  settled: () => Promise<void>
  /** Ends all executions, wherever they are. */
  stop: () => void
}

export function createStateMachine(options: StateMachineOptions): Executions {
  const running = new Set<{ abort: () => void }>()
  const busy = counter()
  const { wait } = options
  const ended = Promise.withResolvers<void>()
  const paused = wait && ((seconds: number) => busy.without(() => Promise.race([wait(seconds), ended.promise])))
  let machine: Promise<StateMachine> | undefined
  let stopped = false

  async function execute(input: unknown): Promise<void> {
    machine ??= load(options)
    const Id = `arn:aws:states:us-east-1:000000000000:execution:${options.name}:${randomUUID()}`
    const loaded = await machine
    if (stopped) return
    const execution = loaded.run(input as Json, {
      noThrowOnAbort: true,
      context: { Execution: { Id } },
      overrides: { taskResourceLocalHandlers: handlers({ ...options, wait: paused }) },
    })
    running.add(execution)
    await execution.result.catch(options.onFailure).finally(() => running.delete(execution))
  }

  return {
    start: (input) => void busy.during(() => execute(input)).catch(options.onFailure),
    settled: busy.none,
    stop: () => {
      stopped = true
      for (const execution of running) execution.abort()
      ended.resolve()
    },
  }
}

/** Counts running executions and resolves when there are none. */
function counter() {
  let count = 0
  let waiting: (() => void)[] = []
  const change = (by: number) => {
    count += by
    if (count > 0) return
    for (const resolve of waiting) resolve()
    waiting = []
  }
  const around = (by: number) => (work: () => Promise<void>) => {
    change(by)
    return work().finally(() => change(-by))
  }
  return {
    during: around(1),
    without: around(-1),
    none: async () => {
      await setImmediate() // an execution that was just woken counts itself first
      await new Promise<void>((resolve) => (count > 0 ? waiting.push(resolve) : resolve()))
    },
  }
}

/** Loaded with the first execution, because the package is large and rarely needed. */
async function load({ definition, wait }: StateMachineOptions): Promise<StateMachine> {
  const { StateMachine } = await import('aws-local-stepfunctions')
  return new StateMachine((wait ? waitsAsTasks(definition) : definition) as StateMachineDefinition)
}

type Task = { FunctionName: string; Payload: unknown }

function handlers({ definition, invoke, wait }: StateMachineOptions) {
  const byType = (type: string) => Object.entries(definition.States).filter(([, state]) => state.Type === type)
  const task = async (input: Json): Promise<Json> => {
    const { FunctionName, Payload } = input as Task // the Parameters of every task of ours
    return { Payload: (await invoke(/\$\{(\w+)\}/.exec(FunctionName)?.[1] ?? '', Payload)) as Json }
  }
  const pause = (state: object) => async (input: Json) => {
    await wait?.(secondsOf(state, input))
    return input
  }
  return Object.fromEntries([
    ...byType('Task').map(([name]) => [name, task] as const),
    ...byType('Wait').map(([name, state]) => [name, pause(state)] as const),
  ])
}

function secondsOf(state: { Seconds?: number; SecondsPath?: string }, input: unknown): number {
  if (state.Seconds !== undefined) return state.Seconds
  const path = state.SecondsPath?.split('.').slice(1) ?? []
  return Number(path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], input))
}

const DAY_SECONDS = 86_400

/** The same machine with each Wait replaced by a task, because a Wait cannot use another clock. */
function waitsAsTasks(definition: Definition): Definition {
  const States = Object.entries(definition.States).map(([name, state]) => {
    if (state.Type !== 'Wait') return [name, state]
    const { Next } = state as { Next?: string }
    return [name, { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke', TimeoutSeconds: DAY_SECONDS, Next }]
  })
  return { ...definition, States: Object.fromEntries(States) }
}
