// The HTTP surface: every area's route table.
import type { Route } from '../shared/http/route.ts'
import { agent } from './agent/routes.ts'
import { approvals } from './approvals/routes.ts'
import { compliance } from './compliance/routes.ts'
import { docs } from './docs/routes.ts'
import { events } from './events/routes.ts'
import { evidence } from './evidence/routes.ts'
import { exports } from './exports/routes.ts'
import { health } from './health/routes.ts'
import { limits } from './limits/routes.ts'
import { protocol } from './protocol/routes.ts'
import { security } from './security/routes.ts'
import { webhooks } from './webhooks/routes.ts'

const areas: Record<string, Route>[] = [
  agent,
  approvals,
  compliance,
  docs,
  events,
  evidence,
  exports,
  health,
  limits,
  protocol,
  security,
  webhooks,
]

export const routes: Route[] = areas.flatMap((area) => Object.values(area))
