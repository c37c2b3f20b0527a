// A tenant's session policy as the API shows it.
import * as z from 'zod'
import { SessionPolicy } from '../../base/tenant/tenant.ts'

/** The version is the tenant's, because the policy is a part of it. */
export const SessionPolicyView = SessionPolicy.extend({
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})
