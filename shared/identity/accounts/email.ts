import * as z from 'zod'

/** An address as the person typed it. `emailHash` defines which addresses are equal. */
export const Email = z.email().max(254).describe('The e-mail address.')
