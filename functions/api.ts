// The HTTP surface: every area's route table.
import type { Route } from '../shared/base/wire/route.ts'
import { agent } from './agent/routes.ts'
import { alerts } from './alerts/routes.ts'
import { allowlist } from './allowlist/routes.ts'
import { approvals } from './approvals/routes.ts'
import { auth } from './auth/routes.ts'
import { billing } from './billing/routes.ts'
import { claims } from './claims/routes.ts'
import { clients } from './clients/routes.ts'
import { compliance } from './compliance/routes.ts'
import { docs } from './docs/routes.ts'
import { domains } from './domains/routes.ts'
import { events } from './events/routes.ts'
import { evidence } from './evidence/routes.ts'
import { exports } from './exports/routes.ts'
import { health } from './health/routes.ts'
import { incidents } from './incidents/routes.ts'
import { integrations } from './integrations/routes.ts'
import { keys } from './keys/routes.ts'
import { kms } from './kms/routes.ts'
import { learning } from './learning/routes.ts'
import { limits } from './limits/routes.ts'
import { mcp } from './mcp/routes.ts'
import { metrics } from './metrics/routes.ts'
import { mfa } from './mfa/routes.ts'
import { oauth } from './oauth/routes.ts'
import { protocol } from './protocol/routes.ts'
import { roles } from './roles/routes.ts'
import { runbooks } from './runbooks/routes.ts'
import { scim } from './scim/routes.ts'
import { security } from './security/routes.ts'
import { slos } from './slos/routes.ts'
import { securityEvents } from './security-events/routes.ts'
import { sso } from './sso/routes.ts'
import { tenants } from './tenants/routes.ts'
import { training } from './training/routes.ts'
import { users } from './users/routes.ts'
import { webhooks } from './webhooks/routes.ts'
import { work } from './work/routes.ts'

const areas: Record<string, Route>[] = [
  agent,
  alerts,
  allowlist,
  approvals,
  auth,
  billing,
  claims,
  clients,
  compliance,
  docs,
  domains,
  events,
  evidence,
  exports,
  health,
  incidents,
  integrations,
  keys,
  kms,
  learning,
  limits,
  mcp,
  metrics,
  mfa,
  oauth,
  protocol,
  roles,
  runbooks,
  scim,
  security,
  slos,
  securityEvents,
  sso,
  tenants,
  training,
  users,
  webhooks,
  work,
]

export const routes: Route[] = areas.flatMap((area) => Object.values(area))
