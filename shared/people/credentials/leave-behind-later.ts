import type { LeaveBehind } from '../../identity/users/deprovision.ts'

/** `leaveBehind`, loaded on the first use, because few requests end a person's access. */
export const leaveBehindLater: LeaveBehind = async (ctx, user) => {
  const { leaveBehind } = await import('./leave-behind.ts')
  await leaveBehind(ctx, user)
}
