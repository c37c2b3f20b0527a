import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Binding, Breach } from './binding.ts'

/** Like `supersede`; throws the 409 that tells the caller what became of the action. */
export async function refuseTo(ctx: Context, binding: Binding, breach: Breach): Promise<never> {
  const { supersede } = await import('./supersede.ts') // seldom needed
  const successor = await supersede(ctx, binding, breach)
  const consequence = successor ? `Decide approval ${successor} instead.` : 'The action is now refused.'
  throw conflict(`This approval is no longer valid: ${breach.reason}. ${consequence}`)
}
