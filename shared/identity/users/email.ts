import * as z from 'zod'

/** An address as it is typed; how it is compared, `emailHash` says. */
export const Email = z.email().max(254)
