import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import type { LimitKey } from '../../shared/govern/governance/rule-terms.ts'
import { Usage, usageOf } from '../../shared/govern/limits/usage.ts'
import { security } from './routes.ts'

const value = z.string().min(1).max(256).optional()

export const shapes = {
  /** Exactly the keys that the limit counts per. */
  query: z.object({
    agent: value.describe('The agent that a credential names, or `<type>:<id>` of a caller without one.'),
    principal: value.describe('The id of a user, key or client.'),
    person: value.describe('The id of the person behind a credential.'),
    node: value.describe('A node.'),
    action: value.describe('`<node>/<action>`.').meta({ examples: ['crm.notification.mailer/send_mail'] }),
    kind: value.describe('A kind of actions.'),
    recipient_domain: value.describe('The domain of recipients.'),
  } satisfies Record<LimitKey, typeof value>),
  response: Usage,
}

export const handler = endpoint(security.policyUsage, shapes, ({ params, query, ctx }) =>
  usageOf(ctx, params.policy_id, query),
)
