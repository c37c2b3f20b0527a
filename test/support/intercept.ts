// Ends the requests of a real SDK client inside this process: marshalling and middleware stay, only the network is gone.
import type { AnyClient } from '../../shared/base/aws/clients.ts'
import { copyOf } from './copy-of.ts'

/** Answers a command, given its name without the suffix `Command`. */
export type Answerer = (command: { name: string; input: object }) => Promise<object>

type Next = (
  next: unknown,
  context: { commandName?: string },
) => (args: { input: object }) => Promise<{ output: object; response: object }>
type Stack = { add: (middleware: Next, options: object) => void }

export function intercept(client: AnyClient, run: Answerer): void {
  const middleware: Next = (_next, context) => async (args) => {
    const name = (context.commandName ?? '').replace(/Command$/, '')
    const output = await run({ name, input: copyOf(args.input) })
    return { output: { ...output, $metadata: {} }, response: {} }
  }
  client.middlewareStack.use({
    applyToStack: (stack: Stack) => stack.add(middleware, { step: 'initialize', priority: 'low', name: 'intercept' }),
  })
}
