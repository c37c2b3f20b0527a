// A logout that an OAuth client is told of (OpenID Connect Back-Channel Logout 1.0): whose, and in which of its sessions. The
// worker that sends it reads the address of the client and makes the token, so neither waits in a queue.
import * as z from 'zod'

export const Logout = z.object({
  id: z.string(),
  tenant_id: z.string(),
  user_id: z.string(),
  client_id: z.string(),
  /** The sessions of the client that have ended: `sid` of its ID tokens. Without it: all of the person. */
  sids: z.array(z.string()).min(1).optional(),
})
export type Logout = z.output<typeof Logout>
