// Loads the clean-up after a person with its first use.
import type { LeaveBehind } from '../../identity/users/deprovision.ts'

/** Loaded on the first use, because few requests end a person's access. */
export const leaveBehindLater: LeaveBehind = {
  countTasks: async (ctx, userId) => (await import('../../govern/tasks/unassign.ts')).countAssigned(ctx, userId),
  end: async (ctx, user) => (await import('./leave-behind.ts')).leaveBehind(ctx, user),
}
