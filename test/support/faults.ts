// Kills the process at a chosen call of the database, as far as its state can tell: the call is not made, or its answer is
// lost, and every later call fails until the next process is started.
import type { AnyClient, ClientPlugin } from '../../shared/base/aws/clients.ts'
import { Injected } from './server-errors.ts'

export type Death = {
  /** Number of the fatal call, the next one being 1. */
  at: number
  /** It was carried out all the same. */
  lost?: boolean
  /** Counts the calls of this command only. */
  command?: string
  /** Only this call fails, and the process lives on. */
  brief?: boolean
}

export type Faults = {
  /** For the clients of the functions. */
  plugin: ClientPlugin
  die: (death: Death) => void
  /** A new process: nothing fails any more. True when the old one had died. */
  restart: () => boolean
}

type Next = (args: object) => Promise<object>
type Stack = { add: (middleware: (next: Next, context: { commandName?: string }) => Next, options: object) => void }

export function faults(): Faults {
  let calls = 0
  let death: Death | undefined
  const middleware =
    (next: Next, { commandName }: { commandName?: string }): Next =>
    async (args) => {
      if (!death) return next(args)
      if (calls >= death.at && death.brief) return next(args)
      if (calls >= death.at) throw new Injected('the process is dead')
      if (!death.command || death.command === commandName) calls += 1
      if (calls < death.at) return next(args)
      if (death.lost) await next(args)
      throw new Injected('the process dies')
    }
  return {
    plugin: (client: AnyClient, service) => {
      if (service !== 'dynamodb') return
      const applyToStack = (stack: Stack) => stack.add(middleware, { step: 'initialize', name: 'faults' })
      client.middlewareStack.use({ applyToStack })
    },
    die: (next) => {
      calls = 0
      death = next
    },
    restart: () => {
      const died = death !== undefined && calls >= death.at
      death = undefined
      return died
    },
  }
}
