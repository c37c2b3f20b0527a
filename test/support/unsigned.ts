// Signing takes half the CPU of an SDK call, and the stand-ins verify no signature: the clients of tests send a fixed text.
// The journeys and `test/infra/local` sign, since they run the service as `npm start` does.
import type { ClientPlugin } from '../../shared/base/aws/clients.ts'
import { FIXED_SIGNATURE } from '../../infra/local/aws-call.ts'

type Args = { request: { headers: Record<string, string> } }
type Next = (args: Args) => Promise<object>
type Stack = {
  remove: (name: string) => boolean
  add: (middleware: (next: Next) => Next, at: object) => void
}

/** For clients that talk to the stand-ins. */
export const unsignedClients: ClientPlugin = (client) =>
  client.middlewareStack.use({
    applyToStack: (stack: Stack) => {
      if (!stack.remove('httpSigningMiddleware')) throw new Error('the SDK has another name for signing')
      stack.add(
        (next) => (args) => {
          Object.assign(args.request.headers, FIXED_SIGNATURE)
          return next(args)
        },
        { step: 'finalizeRequest', name: 'fixedSignature' },
      )
    },
  })
