import * as z from 'zod'
import { MfaPolicy } from '../../base/tenant/tenant.ts'

/** The version is the tenant's, because the policy is a part of it. */
export const MfaPolicyView = MfaPolicy.extend({
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})
