import * as z from 'zod'
import { SessionPolicy } from '../../base/tenant/tenant.ts'

/** The version is that of the tenant, whose part the policy is. */
export const SessionPolicyView = SessionPolicy.extend({ version: z.int() })
