// A user pool that does not answer: one of its operations fails, before or after it was carried out.
import type { AnyClient, ClientPlugin } from '../../shared/base/aws/clients.ts'

export type FaultyPool = {
  /** For the clients of the functions. */
  plugin: ClientPlugin
  fail: (operation: string, how?: { after?: boolean }) => void
  mend: () => void
  /** Names of the operations that were called since the last look. */
  called: () => string[]
}

type Next = (args: object) => Promise<object>
type Stack = { add: (middleware: (next: Next, context: { commandName?: string }) => Next, options: object) => void }

export function faultyPool(): FaultyPool {
  let fault: { operation: string; after: boolean } | undefined
  const calls: string[] = []
  const middleware =
    (next: Next, { commandName = '' }: { commandName?: string }): Next =>
    async (args) => {
      const operation = commandName.replace(/Command$/, '')
      calls.push(operation)
      if (fault?.operation !== operation) return next(args)
      if (fault.after) await next(args)
      throw Object.assign(new Error('the pool does not answer'), { $metadata: {} }) // as the SDK marks it
    }
  return {
    plugin: (client: AnyClient, service) => {
      if (service !== 'cognito-identity-provider') return
      const applyToStack = (stack: Stack) => stack.add(middleware, { step: 'initialize', name: 'faulty-pool' })
      client.middlewareStack.use({ applyToStack })
    },
    fail: (operation, { after = false } = {}) => {
      fault = { operation, after }
    },
    mend: () => {
      fault = undefined
    },
    called: () => calls.splice(0),
  }
}
