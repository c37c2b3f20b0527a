// How a function that proves addresses ends what an account made before. Every such function imports this; all of it is loaded with
// the first account that needs it.
import { registerEndMade } from '../shared/identity/users/end-made.ts'

registerEndMade(async (ctx, user) => {
  await import('./effects.ts') // requests that end may be actions of the service's own nodes
  const { endMade } = await import('../shared/people/credentials/end-made.ts')
  await endMade(ctx, user)
})
